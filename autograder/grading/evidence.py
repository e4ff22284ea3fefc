"""Whether a question's values were shown to be right, without which its facts do not count.

Theory of operation. Code in a box can answer a probe without the answer: with constants, with the
inputs it was given, with the names and counts that the probe's source gives away. So what a check
finds in booleans, counts, names and shapes counts only beside a check of values of the same
question that passed: one that its author marked `@values`, or one that compared a tensor of the
reply with another that is no plain constant and not among all that the question's probes were sent.
Where it is among them, as a gradient that is handed on, it counts beside floats that are right in
part: in places in which they are not zero, and no tensor that was sent is alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import torch

from autograder.checking.comparing import Compared
from autograder.grading.findings import Findings
from autograder.results import sentences
from autograder.results.model import CheckResult

SHARE = 0.25  # of the places that tell something
FEWEST = 8  # different numbers
ALIKE = 0.01  # of what is usual among them


def shows_values(found: Findings, sent: Sequence[torch.Tensor]) -> bool:
    """Whether values were right; `sent` are the tensors that the question's probes were given."""
    passed = {check.name for check in found.checks if check.passed}
    if passed & found.of_values:
        return True
    if any(_is_none_of(sent, one.wanted) for one in _equal(found, passed)):
        return True
    compared = (one for several in found.compared.values() for one in several)
    return any(_equal(found, passed)) and any(_is_partly_right(one, sent) for one in compared)


def withheld(checks: Sequence[CheckResult]) -> list[CheckResult]:
    """The checks of a question whose values were not shown: none counts, and why."""
    return [
        replace(check, passed=False, status="wrong", message=sentences.not_counted())
        if check.passed
        else check
        for check in checks
    ]


def is_withheld(check: CheckResult) -> bool:
    """Whether it only does not count."""
    return sentences.is_not_counted(check.message)


def failed_by_itself(checks: Sequence[CheckResult]) -> list[CheckResult]:
    """The checks of a question that failed, without those that only do not count."""
    return [check for check in checks if not check.passed and not is_withheld(check)]


def _equal(found: Findings, passed: Collection[str]) -> Iterator[Compared]:
    """What replies were found to equal, and is no plain constant, one after the other."""
    for name in passed:
        for one in found.compared.get(name, ()):
            if one.right is None and not _constant(one.wanted):
                yield one


def _is_none_of(sent: Sequence[torch.Tensor], wanted: torch.Tensor) -> bool:
    return not any(given.shape == wanted.shape and bool((given == wanted).all()) for given in sent)


def _is_partly_right(one: Compared, sent: Sequence[torch.Tensor]) -> bool:
    if one.right is None or not one.wanted.is_floating_point():
        return False
    alike = [given for given in sent if given.shape == one.wanted.shape]
    own = one.wanted != 0
    for given in alike:
        own &= one.wanted != given
    right = own & one.right
    if int(right.sum()) < SHARE * int(own.sum()):
        return False
    added = (one.wanted - given.to(one.wanted.dtype) for given in alike)
    return all(_numbers(told[right]) >= FEWEST for told in (one.wanted, *added))


def _numbers(tensor: torch.Tensor) -> int:
    """How many are told apart in it: a constant is right wherever a cosine is close to 1."""
    finite = tensor[tensor.isfinite()]
    if not finite.numel():
        return 0
    return len(torch.unique((finite / (ALIKE * finite.abs().median())).round()))


def _constant(tensor: torch.Tensor) -> bool:
    """Whether all its numbers are one whole number, or it has none."""
    flat = tensor.reshape(-1)
    one = flat[:1]
    whole = not flat.is_floating_point() or bool((one == one.round()).all())
    return whole and bool((flat == one).all())
