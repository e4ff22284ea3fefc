"""Sentences as pages show them."""

from __future__ import annotations

import re

from markupsafe import Markup, escape


def names_as_code(text: str) -> Markup:
    """A sentence, escaped, in which `names` between backticks become code."""
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(text))))
