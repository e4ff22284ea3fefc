"""What a verdict depends on, as digests: equal digests promise equal verdicts.

Theory of operation. The *state* stands for all that the instructor's side brings: the release and
its files, the instructor's notebook, checks, expected tensors, misconceptions, this package, the
versions of what computes, and the settings. The *content* stands for what of a submission runs.
Nothing heavy is imported here: most runs only find out that nothing has changed.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Self

from autograder.course.assignments import Assignment
from autograder.course.settings import Settings
from autograder.files import PACKAGE

if TYPE_CHECKING:  # loading nbformat takes longer than finding out that nothing has changed
    from autograder.intake.submission import Repaired


def versions() -> str:
    """What the values of expected tensors depend on."""
    numbers = f"torch {version('torch')}, numpy {version('numpy')}"
    return f"Python {platform.python_version()}, {numbers}"


def state_digest(assignment: Assignment) -> str:
    """Of everything that the solution's verdict rests on."""
    files = [assignment.source_path, assignment.release_path, *assignment.assets()]
    files += sorted(p for p in assignment.checks.rglob("*") if p.suffix in (".py", ".safetensors"))
    machine = f"{versions()} {platform.platform()} {platform.processor()}"
    contents = (path.read_bytes() for path in files if path.is_file())
    return _digest([machine.encode(), package_digest().encode(), *contents])


def package_digest() -> str:
    """Of the code that grades, wherever it is installed; checks are no part of it."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return _digest(path.read_bytes() for path in paths)


@dataclass(frozen=True)
class Identity:
    """By what the verdicts on one assignment are told apart.

    Attributes:
        state: the digest of everything but the submission.
    """

    assignment: Assignment
    settings: Settings
    state: str

    @classmethod
    def of(cls, assignment: Assignment, settings: Settings) -> Self:
        """The identity of verdicts made here and now."""
        state = _digest([state_digest(assignment).encode(), repr(settings).encode()])
        return cls(assignment, settings, state)

    def of_content(self, repaired: Repaired) -> str:
        """What the verdict on a repaired submission is kept under."""
        cells = [(cell.cell_type, cell.source) for cell in repaired.notebook.cells]
        told = [cells, repaired.flags, sorted(repaired.unanswered)]
        return _digest([self.state.encode(), json.dumps(told).encode()])

    def of_submission(self, *parts: bytes) -> str:
        """Of a submission as it was handed in, in `parts`: equal ones need no second look."""
        return _digest([self.state.encode(), *parts])


def _digest(parts: Iterable[bytes]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()
