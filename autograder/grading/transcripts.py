"""What the probes of a check brought back, small enough to keep and to compare."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import torch

from autograder.box.probes import ProbeRun
from autograder.checking.comparing import ATOL, RTOL

SAMPLE_SIZE = 128
NOTED_SIZE = 12
DREW = "drew"  # a fact of a case, of a battery's facts
WAITING_BYTES = 1 << 20  # of the tensors of one check, which are kept until somebody looks

Tolerance = tuple[float, float]  # relative and absolute
OF_CHECKS: Tolerance = RTOL, ATOL
OF_MACHINES: Tolerance = 0.1, 0.01
"""By which processors differ in what one answer says in half precision, or of large numbers."""


@dataclass(frozen=True)
class Sample:
    """A tensor's dtype and shape, and at most `size` of its numbers, evenly spread, as float32.

    Complex numbers stand as pairs, real before imaginary part.
    """

    dtype: str
    shape: list[int]
    numbers: torch.Tensor

    @classmethod
    def of(cls, tensor: torch.Tensor, size: int = SAMPLE_SIZE) -> Sample:
        flat = tensor.detach().reshape(-1)
        count = min(len(flat), size)
        places = torch.linspace(0, max(len(flat) - 1, 0), count, dtype=torch.float64).long()
        chosen = flat[places]
        numbers = torch.view_as_real(chosen.resolve_conj()) if chosen.is_complex() else chosen
        return cls(str(tensor.dtype), list(tensor.shape), numbers.reshape(-1).float())

    def equals(self, other: Sample, within: Tolerance = OF_CHECKS) -> bool:
        """Whether both may come from the same answer."""
        return (
            self.dtype == other.dtype
            and self.shape == other.shape
            and torch.allclose(self.numbers, other.numbers, *within, equal_nan=True)
        )


@dataclass(frozen=True)
class Utterance:
    """One reply: its tensors as samples, and everything else as plain data.

    Attributes:
        cases: of what came of asking a battery, what was said in each case.
        by_chance: whether random numbers were drawn that no right answer draws.
    """

    tensors: dict[str, Sample]
    facts: dict[str, Any]
    cases: dict[str, Utterance] = field(default_factory=dict, compare=False)
    by_chance: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, run: ProbeRun) -> Utterance:
        error = run.error and [run.error["name"], run.error["text"]]
        facts = {"values": run.values, "kinds": run.kinds, "error": error}
        return cls({name: Sample.of(tensor) for name, tensor in run.tensors.items()}, facts)

    @classmethod
    def noted(cls, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> Utterance:
        """Few numbers of each of many tensors, as one sample; the rest as a digest.

        Args:
            tensors: by case and name, as `case/name`.
            facts: by case, those of all cases among them.
        """
        samples = {name: Sample.of(tensors[name], NOTED_SIZE) for name in sorted(tensors)}
        by_case: dict[str, dict[str, Sample]] = {case: {} for case in facts}
        for name, sample in samples.items():
            by_case.setdefault(name.partition("/")[0], {})[name] = sample
        drawn = {case for case, told in facts.items() if isinstance(told, Mapping) and DREW in told}
        cases = {
            case: replace(cls._of(some, facts.get(case)), by_chance=case in drawn)
            for case, some in by_case.items()
        }
        return replace(cls._of(samples, facts), cases=cases)

    @classmethod
    def _of(cls, samples: Mapping[str, Sample], facts: Any) -> Utterance:
        shapes = {name: [sample.dtype, sample.shape] for name, sample in samples.items()}
        found = [torch.zeros(0), *(sample.numbers for sample in samples.values())]
        told = json.dumps([shapes, exact(facts, found)], sort_keys=True).encode()
        numbers = torch.cat([one.float() for one in found])
        whole = Sample("noted", list(numbers.shape), numbers)
        return cls({"numbers": whole}, {"told": hashlib.sha256(told).hexdigest()[:16]})

    def equals(self, other: Utterance, within: Tolerance = OF_CHECKS) -> bool:
        return (
            self.tensors.keys() == other.tensors.keys()
            and all(self.tensors[name].equals(other.tensors[name], within) for name in self.tensors)
            and _same_facts(self.facts, other.facts)
        )


Transcript = Sequence[Utterance]
Transcripts = dict[str, Transcript]


class Heard:
    """What the probes of each check brought back.

    What a battery replied is sampled only when somebody looks, as happens where points were lost.
    """

    def __init__(self) -> None:
        self._said: dict[str, dict[str, list[Callable[[], Utterance]]]] = {}

    def hear(self, slug: str, check: str, said: Utterance) -> None:
        """Keeps a reply."""
        self._keep(slug, check, lambda: said)

    def note(
        self, slug: str, check: str, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]
    ) -> None:
        """Keeps what came of asking a battery; see `Utterance.noted`."""
        noted = cache(partial(Utterance.noted, tensors, facts))
        if sum(tensor.nbytes for tensor in tensors.values()) > WAITING_BYTES:
            made = noted()
            self._keep(slug, check, lambda: made)
        else:
            self._keep(slug, check, noted)

    def _keep(self, slug: str, check: str, said: Callable[[], Utterance]) -> None:
        self._said.setdefault(slug, {}).setdefault(check, []).append(said)

    def of(self, slug: str) -> Transcripts:
        """What was heard of a question, by check."""
        heard = self._said.get(slug, {}).items()
        return {check: [said() for said in utterances] for check, utterances in heard}

    def forget(self, slug: str) -> None:
        """Forgets what was heard of a question."""
        self._said.pop(slug, None)


def same(one: Transcript, other: Transcript, within: Tolerance = OF_CHECKS) -> bool:
    """Whether two transcripts of one check tell of the same answer."""
    return len(one) == len(other) and all(
        mine.equals(its, within) for mine, its in zip(one, other, strict=True)
    )


def numbers_in(transcript: Transcript) -> bool:
    """Whether a transcript holds numbers, as that of an answer that was called does."""
    return any(len(sample.numbers) for one in transcript for sample in one.tensors.values())


def tells(transcript: Transcript) -> bool:
    """Whether it holds facts alone, or numbers besides zeros, NaN and infinities, as many do."""
    samples = (sample.numbers for one in transcript for sample in one.tensors.values())
    told = any(bool((numbers.isfinite() & (numbers != 0)).any()) for numbers in samples)
    return told or not numbers_in(transcript)


def alike(
    mine: Mapping[str, Transcript], its: Mapping[str, Transcript], within: Tolerance = OF_CHECKS
) -> bool:
    """Whether the transcripts of the same checks tell of the same answer."""
    return mine.keys() == its.keys() and all(
        same(mine[check], its[check], within) for check in mine
    )


def exact(facts: Any, numbers: list[torch.Tensor]) -> Any:
    """The facts without floats, which are added to `numbers`."""
    if isinstance(facts, dict):
        return {name: exact(value, numbers) for name, value in sorted(facts.items())}
    if isinstance(facts, float):
        numbers.append(torch.tensor([facts], dtype=torch.float64))
        return "float"
    return facts


def _same_facts(mine: Any, its: Any) -> bool:
    if isinstance(mine, dict) and isinstance(its, dict):
        return mine.keys() == its.keys() and all(_same_facts(mine[key], its[key]) for key in mine)
    if isinstance(mine, float) and isinstance(its, float):
        pair = torch.tensor([mine], dtype=torch.float64), torch.tensor([its], dtype=torch.float64)
        return torch.allclose(*pair, RTOL, ATOL, equal_nan=True)
    return type(mine) is type(its) and bool(mine == its)
