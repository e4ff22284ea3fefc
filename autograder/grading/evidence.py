"""Whether a question's values were shown to be right, without which its facts do not count.

Theory of operation. Code in a box can answer a probe without the answer: with constants, with the
inputs it was given, with the names and counts that the probe's source gives away. So what a check
finds in booleans, counts, names and shapes counts only beside values of the same question that are
right: a check passed that its author marked `@values`, or a tensor of a reply equals another that
is no plain constant and not among all that the question's probes were sent, or, of floats, equals
it in a part of those places in which it is not zero, and no tensor that was sent is alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from autograder.checking.comparing import Compared
from autograder.grading.judge import Findings
from autograder.results import sentences
from autograder.results.model import CheckResult, QuestionResult

SHARE = 0.25  # of the places that tell something
FEWEST = 8


def shows_values(found: Findings, sent: Sequence[torch.Tensor]) -> bool:
    """Whether values were right; `sent` are the tensors that the question's probes were given."""
    passed = {check.name for check in found.checks if check.passed}
    return bool(passed & found.of_values) or any(
        _tells(one, [given for given in sent if given.shape == one.wanted.shape])
        for compared in found.compared.values()
        for one in compared
    )


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


def _tells(one: Compared, alike: Sequence[torch.Tensor]) -> bool:
    """Whether what was right of a comparison tells something, beside what was sent in its shape."""
    if _constant(one.wanted):
        return False
    if one.right is None:
        return not any(bool((one.wanted == given).all()) for given in alike)
    if not one.wanted.is_floating_point():  # whole numbers and truth values meet by chance
        return False
    own = one.wanted != 0
    for given in alike:
        own &= one.wanted != given
    count = int(own.sum())
    return count >= FEWEST and int((own & one.right).sum()) >= SHARE * count


def _constant(tensor: torch.Tensor) -> bool:
    """Whether all its numbers are one whole number, or it has none."""
    flat = tensor.reshape(-1)
    one = flat[:1]
    whole = not flat.is_floating_point() or bool((one == one.round()).all())
    return whole and bool((flat == one).all())
