"""What the checks of one question found."""

from __future__ import annotations

import traceback
from collections.abc import Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from autograder.checking.coincidences import NAMES
from autograder.checking.comparing import Compared
from autograder.checking.failures import CheckFailure
from autograder.errors import AutograderError, BrokenCheck, Ungraded, UsageError
from autograder.results import sentences
from autograder.results.model import CheckResult, Diagnosis

OF_NAMES = (NameError, ImportError, AttributeError)
"""Errors that tell what is called by a wrong name."""


@dataclass
class Findings:
    """What the checks of one question found, in the order of their file.

    Attributes:
        of_values: the checks that their author marked as `@values`.
        compared: by check, what the tensors of its replies were found to equal, or in part.
        raised: by check, what it raised other than an assertion: it failed, or is broken.
    """

    checks: list[CheckResult] = field(default_factory=list)
    of_values: set[str] = field(default_factory=set)
    compared: dict[str, list[Compared]] = field(default_factory=dict)
    raised: dict[str, Exception] = field(default_factory=dict)

    def note(
        self,
        name: str,
        title: str,
        points: float,
        error: BaseException | None,
        compared: list[Compared],
    ) -> None:
        """Adds what came of a check: the `error` that it raised, if any."""
        self.checks.append(_result(name, title, points, error))
        self.compared[name] = compared
        if isinstance(error, Exception) and not isinstance(error, AssertionError):
            self.raised[name] = error

    def parted(self, reserved: Set[str]) -> tuple[Findings, list[CheckResult]]:
        """The findings without the `reserved` checks; and of those whether they passed, no more.

        Raises:
            UsageError: there is no such check.
        """
        if unknown := sorted(reserved - {check.name for check in self.checks}):
            raise UsageError(f"{unknown[0]} is reserved and is no check: mend its name")
        rest = [check for check in self.checks if check.name not in reserved]
        bare = [
            CheckResult(c.name, c.title, c.points, c.passed, status="ok" if c.passed else "wrong")
            for c in self.checks
            if c.name in reserved
        ]
        return replace(self, checks=rest), bare


def broken(check: str, slug: str, error: BaseException, folder: Path) -> Ungraded:
    """A broken check's error, told with its line in the check files in `folder`.

    Students may read it where their own repository has the grader's log, and what they answer may
    have led to it: of most errors the words stay unsaid, which may hold expected values.
    """
    where, said, words = place_of(error, folder), type(error).__name__, str(error)
    if isinstance(error, Ungraded):
        return Ungraded(f"the check {check} of {slug} is broken: {error}{where}")
    if isinstance(error, AutograderError):
        said, words = str(error), ""
    elif isinstance(error, OF_NAMES):
        said, words = repr(error), ""
    return BrokenCheck(f"the check {check} of {slug} is broken: {said}{where}", words=words)


def place_of(error: BaseException, folder: Path) -> str:
    """The last line of a file in `folder` that led to an error; empty where none did."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if Path(one.filename).parent == folder]
    return f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""


def _result(name: str, title: str, points: float, error: BaseException | None) -> CheckResult:
    if error is None:
        return CheckResult(name, title, points, passed=True)
    return CheckResult(
        name=name,
        title=title,
        points=points,
        passed=False,
        message=_message(error, title),
        status=getattr(error, "status", "wrong"),
        error_map=getattr(error, "error_map", None),
        diagnosis=_observed(error),
    )


def _observed(error: BaseException) -> Diagnosis | None:
    if isinstance(error, CheckFailure) and error.observed:
        source: Literal["case", "kind"] = "case" if error.observed in NAMES else "kind"
        return Diagnosis(source, error.observed, error.hint)
    return None


def _message(error: BaseException, title: str) -> str:
    # The text of anything else may hold expected values; only a CheckFailure's is for students.
    if isinstance(error, CheckFailure):
        return str(error)
    if isinstance(error, AssertionError):
        return sentences.check_failed(title)
    return sentences.not_judged(title)
