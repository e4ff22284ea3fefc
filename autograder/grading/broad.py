"""What is true of many mistakes, told where nothing closer is known of one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from autograder.checking.error_hints import explained
from autograder.grading.evidence import failed_by_itself
from autograder.results.model import CheckResult, Diagnosis, QuestionResult
from autograder.results.sentences import IN_CELL, unfit

HERE = re.compile(r"that line|`=`|\bthere\b(?! (is|are))")
"""In hints that are about a line of the student's own."""

BY_USE = [
    *(unfit(name, "") for name in ("AttributeError", "IndexError", "KeyError", "TypeError")),
    unfit("RuntimeError", "Could not infer dtype of NoneType"),
]
"""Errors of who uses an answer, which mean something else where a line of it raised them."""
JUDGED = ("wrong", "error")
ASPECTS = {
    "sizes": (
        "right_for_some_sizes",
        "In the example your answer is right, and with other sizes or numbers it is not. Look for "
        "a number, a length, an axis or a step that fits it alone.",
    ),
    "extremes": (
        "right_for_ordinary_numbers",
        "With ordinary numbers your answer is right. Look at exponentials, divisions, comparisons, "
        "at limits such as those of `clamp`, and at a number that stands for infinity.",
    ),
    "whole_extremes": (
        "right_for_most_numbers",
        "In the example your answer is right. Look at what happens where all numbers are alike, or "
        "the lowest or the highest that may come.",
    ),
    "bare": (
        "right_with_everything",
        "With all inputs your answer is right. Look at what happens where an optional one is left "
        "out.",
    ),
    "modes": (
        "right_in_one_mode",
        "In one mode your answer is right. Look at what training and evaluation mode change.",
    ),
    "gradients": (
        "right_but_for_gradients",
        "What comes out is right, and its gradients are not. Look for steps that write over a "
        "tensor, cut it off, or compute something a second time.",
    ),
}
"""What an answer gets right that fails in one aspect of a battery alone."""


def told_broadly(
    verdict: QuestionResult,
    aspects: Mapping[str, str],
    reserved: Collection[str] = (),
    head: Callable[[], str] = str,
) -> QuestionResult:
    """The verdict with a diagnosis for the failed checks that have none, where one is plain.

    An error is explained; what was changed in the head of a function is told; an answer that fails
    in one aspect alone is told so, but not where checks are `reserved`, on which nothing may rest.

    Args:
        aspects: of a battery, by check.
        head: says what was changed there; asked where nothing closer is known.
    """
    failed = failed_by_itself(verdict.checks)
    right = any(check.passed and aspects.get(check.name) == "values" for check in verdict.checks)
    looked_at = {aspects.get(check.name, "") for check in failed}
    aspect = looked_at.pop() if len(looked_at) == 1 and right and not reserved else ""
    unknown = [check for check in failed if check.is_open]
    said = head() if any(check.status in JUDGED for check in unknown) else ""
    return replace(
        verdict,
        checks=[
            replace(check, diagnosis=_broad(check, aspect, said)) if check in unknown else check
            for check in verdict.checks
        ],
    )


def _broad(check: CheckResult, aspect: str, head: str) -> Diagnosis | None:
    by_use = any(said in check.message for said in BY_USE)
    told = explained(check.message, by_use=by_use) if check.status == "error" else None
    if told and HERE.search(told[1]) and IN_CELL not in check.message:
        told = None  # it was raised where the answer was used
    if told is None and check.status in JUDGED:
        if head:
            told = ("other_head", head)
        elif check.diagnosis is None:
            told = ASPECTS.get(aspect)
    return Diagnosis("broad", *told) if told else check.diagnosis
