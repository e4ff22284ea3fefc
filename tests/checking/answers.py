"""Judging answers by a battery in this process, as an instructor's live kernel does."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn

from autograder.authoring.live import LiveStudent
from autograder.checking import Battery, Domain, Expected
from autograder.checking.expected import Recorder
from autograder.checking.failures import CheckFailure

GIVEN = {"torch": torch, "nn": nn, "math": math, "F": nn.functional}


def names(source: str) -> dict[str, Any]:
    """What a cell leaves behind."""
    scope = dict(GIVEN)
    exec(compile(source, "<ipython-input-1>", "exec"), scope)
    return scope


def battery_of(domain: Domain) -> Battery:
    """All aspects, a point each."""
    aspects = ["values", "sizes", "kind", "care"]
    aspects += ["gradients"] if domain.differentiable else []
    aspects += ["extremes"] if domain.extremes else []
    aspects += ["modes", "parts"] if domain.is_class else []
    aspects += ["way"] if domain.rules_out else []
    aspects += ["bare"] if domain.optional else []
    return Battery(domain, **dict.fromkeys(aspects, 1.0))


class Judge:
    """The checks of a battery, with what `solution` answers as expected."""

    def __init__(self, domain: Domain, solution: str, battery: Battery | None = None) -> None:
        self._battery = battery or battery_of(domain)
        recorder = Recorder({})
        assert self._failures(names(solution), recorder) == {}
        self._expected = Expected(recorder.tensors)

    def _failures(self, answers: dict[str, Any], expected: Expected) -> dict[str, CheckFailure]:
        student, found = LiveStudent(answers), {}
        for name, check in self._battery.checks().items():
            try:
                check(student, expected)
            except CheckFailure as failure:
                found[name.removeprefix("check_")] = failure
        return found

    def failures(self, source: str) -> dict[str, str]:
        """What fails, by aspect, with its sentence."""
        return {name: str(one) for name, one in self._found(source).items()}

    def observed(self, source: str) -> dict[str, str]:
        """What was seen to be wrong, by the aspect that fails."""
        return {name: one.observed for name, one in self._found(source).items()}

    def statuses(self, source: str) -> dict[str, str]:
        """By the aspect that fails, its status."""
        return {name: one.status for name, one in self._found(source).items()}

    def _found(self, source: str) -> dict[str, CheckFailure]:
        return self._failures(names(source), self._expected)
