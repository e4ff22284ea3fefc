"""Graders and zygotes that stay warm as long as this process, as formgrader's server, lives."""

from __future__ import annotations

import atexit
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

from autograder.box.outside.canaries import guard_against_breaches
from autograder.box.outside.zygotes import StartedZygote, Zygote
from autograder.course.assignments import Course
from autograder.course.notebooks import given_notebook
from autograder.course.settings import Settings
from autograder.errors import Ungraded, Unready
from autograder.grading.ahead import LookAhead
from autograder.grading.grader import Grader
from autograder.grading.identity import Identity
from autograder.grading.names import imported_modules
from autograder.grading.readiness import ready_grader

look_ahead = LookAhead()
_graders: dict[tuple[str, Settings], tuple[str, Grader]] = {}
_zygotes: dict[tuple[tuple[str, ...], Settings, Path], Zygote] = {}
_choosing = threading.Lock()


def warm_grader(identity: Identity, course: Course) -> Grader:
    """The warm grader of an assignment, a new one once what it grades by has changed.

    formgrader's server outlives many edits of checks and releases.
    """
    key = (identity.assignment.id, identity.settings)
    with _choosing:
        state, grader = _graders.pop(key, ("", None))
        if grader is not None and state != identity.state:
            atexit.unregister(grader.close)
            grader.close()
            grader = None
        if grader is None:
            grader = ready_grader(course, identity.assignment, identity.settings)
            atexit.register(grader.close)
        _graders[key] = (identity.state, grader)
    return grader


def warm_zygote(released: Path, settings: Settings, root: Path) -> Zygote:
    """A zygote for an assignment without checks, which has loaded what its notebook imports.

    It is one for all assignments that import the same; a new one once it has ended.

    Raises:
        Unready: no notebook can be run here.
    """
    key = (_packages(released), settings, root)
    with _choosing:
        zygote = _zygotes.pop(key, None)
        if zygote is not None and zygote.gone:
            atexit.unregister(zygote.close)
            zygote.close()
            zygote = None
        if zygote is None:
            zygote = _ready_zygote(*key)
            atexit.register(zygote.close)
        _zygotes[key] = zygote
    return zygote


def _ready_zygote(imports: tuple[str, ...], settings: Settings, root: Path) -> Zygote:
    try:
        with ExitStack() as stack:
            zygote = stack.enter_context(StartedZygote(imports, [root]))
            trust = settings.trust_notebooks
            guard_against_breaches(zygote, root, settings.limits, trust_notebooks=trust)
            stack.pop_all()
    except Ungraded as fault:
        raise Unready(str(fault)) from fault
    return zygote


def _packages(released: Path) -> tuple[str, ...]:
    """What the released notebook imports; what the student's imports is none to warm."""
    if not released.is_file():
        return ()
    found = imported_modules(given_notebook(released))
    return tuple(sorted({n for n in found if n.split(".")[0] not in sys.stdlib_module_names}))
