"""How long the instructor's solution takes, by which the time of other answers is limited.

Theory of operation. `autograder expected` notes how many seconds of the processor each cell of the
solution takes, and the longest probe of each question; less than `SMALLEST_SECONDS` counts as that,
and of a probe, which may call an answer in dozens of cases, `SMALLEST_PROBE_SECONDS`. An answer may
take `TIMES` as many, but no more than the configuration allows. Seconds of the processor, and not
of the clock, pass as slowly as everything else on a machine with much to do. On a slower machine
than the one where the times were noted they count for less: by how much, the solution tells that is
graded there before the first submission. What is looked at once more after a hang has half the
time. Cells that a student adds have no pace.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from autograder.errors import UsageError

TIMES = 25
HURRIED = 2  # by which what is asked once more after a hang has less
CHANGED = 2  # a time that is nearer than that to the stored one is the same
SMALLEST_SECONDS = 0.1
SMALLEST_PROBE_SECONDS = 0.2  # right answers in loops of Python's take dozens of times as long
CHANCE_SECONDS = 0.5  # by which a short notebook may differ from itself


@dataclass(frozen=True)
class Pace:
    """Seconds of the processor that the instructor's solution takes.

    Attributes:
        cells: of each cell, by its name.
        probes: of the longest probe of each question, by slug.
        seconds: of all that together, where they were measured.
        slowness: by how much longer it takes here.
    """

    cells: Mapping[str, float] = field(default_factory=dict)
    probes: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    slowness: float = 1.0

    @classmethod
    def load(cls, path: Path) -> Self:
        """The pace in `path`; one that limits nothing where there is none.

        Raises:
            UsageError: the file is damaged.
        """
        if not path.is_file():
            return cls()
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError) as error:
            raise UsageError(
                f"{path} is damaged: delete it, and run `autograder expected`, which makes it again"
            ) from error

    @classmethod
    def measured(cls, cells: Mapping[str, float], probes: Mapping[str, float]) -> Self:
        """That of a solution of which these seconds were measured."""
        return cls(cells, probes, sum(cells.values()) + sum(probes.values()))

    def of_cell(self, name: str) -> float | None:
        """Seconds of the processor that this cell may take; None where only the clock limits it."""
        return self._allowed(self.cells.get(name), SMALLEST_SECONDS)

    def of_probe(self, slug: str) -> float | None:
        """Seconds of the processor that a probe of this question may take, or None."""
        return self._allowed(self.probes.get(slug), SMALLEST_PROBE_SECONDS)

    def slower_by(self, measured: Pace) -> float:
        """By how much longer the solution has taken here, if it has."""
        return max(1.0, (measured.seconds + CHANCE_SECONDS) / (self.seconds + CHANCE_SECONDS))

    def hurried(self) -> Pace:
        """That of what is looked at once more after something that it rests on has hung."""
        return replace(self, slowness=self.slowness / HURRIED)

    def settled(self, before: Pace) -> Pace:
        """As it is stored: in round numbers, and as `before` where little has changed."""
        cells, probes = before.cells, before.probes
        return Pace(
            {name: _settled(seconds, cells.get(name)) for name, seconds in self.cells.items()},
            {slug: _settled(seconds, probes.get(slug)) for slug, seconds in self.probes.items()},
            _settled(self.seconds, before.seconds),
        )

    def as_text(self) -> str:
        """The file of it."""
        told = {"seconds": self.seconds, "cells": dict(self.cells), "probes": dict(self.probes)}
        return json.dumps(told, indent=2) + "\n"

    def _allowed(self, seconds: float | None, smallest: float) -> float | None:
        return None if seconds is None else TIMES * max(seconds, smallest) * self.slowness


def _settled(seconds: float, before: float | None) -> float:
    """Rounded up to one digit; what is stored stays where this is near to it."""
    rounded = _rounded_up(max(seconds, SMALLEST_SECONDS))
    near = before is not None and rounded / CHANGED <= before <= rounded * CHANGED
    return before if near and before is not None else rounded


def _rounded_up(seconds: float) -> float:
    step: float = 10.0 ** math.floor(math.log10(seconds))
    return round(math.ceil(round(seconds / step, 6)) * step, 6)
