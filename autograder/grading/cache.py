"""Verdicts kept under what they depend on, so that nothing unchanged runs a second time.

A verdict is one compressed file, `<folder>/<assignment>/<state>/<content>`, written whole or not at
all. The folder is the course's own, `.cache/graded`, unless `autograder grade` is given another.
Only the grader reads and writes there; boxes do not see it.
"""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Self

from autograder.course.assignments import Course
from autograder.files import write_whole
from autograder.grading.identity import Identity
from autograder.results.model import Graded, Status, SubmissionResult

if TYPE_CHECKING:
    from autograder.intake.submission import Repaired

# On another run, or a machine with less to do, these may come out differently.
UNSETTLED: frozenset[Status] = frozenset({"timeout", "memory", "crash"})


def settled(result: SubmissionResult) -> bool:
    """Whether another run would give the same verdict, as far as can be told."""
    return not any(
        status in UNSETTLED
        for question in result.questions
        for status in (question.status, *(check.status for check in question.checks))
    )


def pack(graded: Graded) -> bytes:
    """A verdict and its executed notebook as bytes."""
    found = {"result": graded.result.as_record(), "notebook": graded.notebook}
    return zlib.compress(json.dumps(found).encode(), level=1)


def unpack(data: bytes) -> Graded:
    """What `pack` made bytes of."""
    from nbformat import from_dict

    found = json.loads(zlib.decompress(data))
    return Graded(SubmissionResult.from_dict(found["result"]), from_dict(found["notebook"]))


class VerdictCache:
    """The verdicts on one assignment in one state; those in other states are forgotten."""

    def __init__(self, folder: Path, identity: Identity) -> None:
        self._identity = identity
        self._states = folder / identity.assignment.id
        self._folder = self._states / identity.state

    @classmethod
    def of(cls, course: Course, identity: Identity) -> Self:
        """The course's own."""
        return cls(course.root / ".cache" / "graded", identity)

    def graded(
        self, repaired: Repaired, grade: Callable[[], Graded], *, take_unsettled: bool = False
    ) -> Graded:
        """The verdict that is kept, or the one that `grade` gives, which is then kept."""
        key, identity = self._identity.of_content(repaired), self._identity
        kept = self.get(key)
        if kept is not None and (take_unsettled or settled(kept.result)):
            return kept
        graded = grade()
        if Identity.of(identity.assignment, identity.settings) == identity:  # also meanwhile
            self.put(key, pack(graded))
        return graded

    def __contains__(self, key: str | None) -> bool:
        return key is not None and (self._folder / key).is_file()

    def get(self, key: str) -> Graded | None:
        """The verdict kept under `key`; None when there is none, or it was damaged."""
        try:
            return unpack((self._folder / key).read_bytes())
        except (FileNotFoundError, zlib.error, ValueError):
            return None

    def put(self, key: str, data: bytes) -> None:
        """Keeps what `pack` made under `key`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(self._folder / key, data, mode=0o600)

    def forget_other_states(self) -> None:
        """Removes verdicts that hold no more: a check, the release or a version has changed."""
        for folder in self._states.glob("*"):
            if folder != self._folder:
                shutil.rmtree(folder, ignore_errors=True)
