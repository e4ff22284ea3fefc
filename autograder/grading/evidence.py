"""Whether a question's values were shown to be right, without which its facts do not count.

Theory of operation. Code in a box can answer a probe without the answer: with constants, with the
inputs it was given, with the names and counts that the probe's source gives away. So what a check
finds in booleans, counts, names and shapes counts only beside a check of values of the same
question that passed: one that its author marked `@values`, or one that compared a tensor of the
reply with another that is no plain constant and not among all that the question's probes were sent:
what one check compares may have come with the probes of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from autograder.grading.judge import Findings
from autograder.results import sentences
from autograder.results.model import CheckResult, QuestionResult


def shows_values(found: Findings, sent: Sequence[torch.Tensor]) -> bool:
    """Whether a check of values passed; `sent` are the tensors that all its probes were given."""
    passed = [check.name for check in found.checks if check.passed]
    return any(name in found.of_values or _tells(found.compared[name], sent) for name in passed)


def withheld(checks: Sequence[CheckResult]) -> list[CheckResult]:
    """The checks of a question whose values were not shown: none counts, and why."""
    return [
        replace(check, passed=False, status="wrong", message=sentences.not_counted())
        if check.passed
        else check
        for check in checks
    ]


def failed_by_itself(verdict: QuestionResult) -> set[str]:
    """The checks of a question that failed, without those that only do not count."""
    withheld = sentences.not_counted()
    return {c.name for c in verdict.checks if not c.passed and c.message != withheld}


def _tells(compared: Sequence[torch.Tensor], sent: Sequence[torch.Tensor]) -> bool:
    return any(
        not _constant(wanted) and not any(_equal(wanted, one) for one in sent)
        for wanted in compared
    )


def _constant(tensor: torch.Tensor) -> bool:
    """Whether all its numbers are one whole number, or it has none."""
    flat = tensor.reshape(-1)
    one = flat[:1]
    whole = not flat.is_floating_point() or bool((one == one.round()).all())
    return whole and bool((flat == one).all())


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and bool((one == other).all())
