"""Commands to GitHub's runner, which reads them from whatever a step prints.

Theory of operation. The runner takes two spellings for a command: `::name properties::text` at the
beginning of a line, blanks aside, and `##[name properties]text` anywhere in it. A student whose
text gets printed could so hide the log, or set the outputs of the step that grades. Text is
therefore printed with both spellings broken, and only `command` makes one.
"""

from __future__ import annotations

import json
import re

_AT_LINE_START = re.compile(r"^([^\S\n]*+):(?=:)", re.MULTILINE)
_ANYWHERE = "##["


def without_commands(text: str) -> str:
    """`text` in which the runner finds no command, otherwise as it was."""
    return _AT_LINE_START.sub(r"\1: ", text).replace(_ANYWHERE, "# #[")


def json_without_commands(found: object) -> str:
    """`found` as JSON, spelt so that the runner finds no command; no line of it begins with `:`."""
    return json.dumps(found, indent=1).replace(_ANYWHERE, r"#\u0023[")


def command(name: str, message: str, **properties: str) -> str:
    """One line that the runner obeys; whatever `message` and `properties` hold, it stays one."""
    given = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {given}::{_data(message)}" if given else f"::{name}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
