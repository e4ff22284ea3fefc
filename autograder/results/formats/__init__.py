"""One result model, and the forms in which people, programs and CI servers read it.

Each form is a module of its own; what a student wrote is inert in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from autograder.errors import UsageError
from autograder.files import write_out
from autograder.results.formats.github import deliver
from autograder.results.formats.gradescope import as_gradescope
from autograder.results.formats.json import as_json, as_json_list
from autograder.results.formats.junit import as_junit
from autograder.results.formats.text import as_text
from autograder.results.model import SubmissionResult

GITHUB = "github"
GRADESCOPE = "gradescope"
JSON = "json"

_FORMS: dict[str, Callable[[Sequence[SubmissionResult]], str]] = {
    "text": as_text,
    JSON: as_json,
    "junit": as_junit,
    GRADESCOPE: as_gradescope,
}
FORMATS = [*_FORMS, GITHUB]


def write_results(
    results: Sequence[SubmissionResult], form: str, output: Path | None, *, several: bool = False
) -> None:
    """Writes `results` in one of FORMATS to `output`, or where that form is looked for.

    `several`: whether results of several notebooks were asked for, though this may be one.

    Raises:
        UsageError: `output` cannot be written.
    """
    try:
        if form == GITHUB:
            deliver(results, output)
            return
        text = as_json_list(results) if several and form == JSON else _FORMS[form](results)
        if output is None:
            print(text)
        else:
            write_out(output, text + "\n")
    except BrokenPipeError:  # the reader of standard output has seen enough
        raise
    except OSError as error:
        place = error.filename or output or "the results"
        raise UsageError(f"cannot write {place}: {error.strerror}") from error
