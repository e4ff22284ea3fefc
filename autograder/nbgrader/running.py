"""nbgrader's own commands, run in this process, and what they failed at."""

from __future__ import annotations

import gc
import re
from functools import cache
from pathlib import Path
from typing import Any

from traitlets.config.loader import Config

from autograder.course.gradebook_advice import with_advice
from autograder.errors import Ungraded, UnreadableSubmission, UsageError
from autograder.intake import REFUSED

_REFUSED = re.compile(rf"{REFUSED}.*?: (.+)$", re.MULTILINE)
_OURS = re.compile(r"^ *autograder\.errors\.(\w+): (.+)$", re.MULTILINE)
_KINDS = {kind.__name__: kind for kind in (UnreadableSubmission, UsageError)}
_RAISED = re.compile(r"^ *([\w.]+(?:Error|Exception|Entry)\b.*)$", re.MULTILINE)


def nbgrader_api(config: Config, root: Path) -> Any:
    """nbgrader's `NbGraderAPI` for the course in `root`; loads nbgrader."""
    gc.disable()  # what is imported stays: looking for garbage takes a quarter of the time
    from nbgrader.apps.api import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory

    gc.freeze()
    gc.enable()
    _keep_engines()
    config = Config(config)
    if "root" not in config.CourseDirectory:
        config.CourseDirectory.root = str(root)
    return NbGraderAPI(CourseDirectory(config=config), config=config)


@cache
def _keep_engines() -> None:
    """nbgrader opens the gradebook eight times a submission; one engine keeps compiled queries."""
    import nbgrader.api

    nbgrader.api.create_engine = cache(nbgrader.api.create_engine)


def failure(found: dict[str, Any]) -> UsageError | Ungraded:
    """What stood in the way of a command, out of its log."""
    log = f"{found.get('log', '')}\n{found.get('error', '')}"
    if refused := _REFUSED.search(log):
        return UnreadableSubmission(refused[1])
    if ours := _OURS.search(log):
        return _KINDS.get(ours[1], Ungraded)(ours[2])
    first = _RAISED.search(log)
    said = with_advice(first[1] if first else log.strip()[-300:])
    return Ungraded(f"nbgrader could not record it: {said}")
