"""What known mistakes reply, and the right answer beside them: kept with the misconceptions.

Theory of operation. Of each misconception all that its probes bring back is kept, check by check,
in samples of its numbers. A battery asks in many cases, and in how many of them a mistake shows is
what tells it from one that is made there alone: so a fingerprint of each case is kept as well, of
those in which the mistake replies as the right answer does not. Of a check that the mistake hung in
or broke off nothing is kept, nor of those after it: no reply is no evidence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save

from autograder.grading.prints import Print, Prints, prints_in
from autograder.grading.transcripts import Sample, Transcript, Transcripts, Utterance, alike, same

STORED = "mistakes"  # the one entry of a file's metadata
RIGHT = ""  # the name of the right answer among those of mistakes
Cases = Mapping[tuple[str, str], Print]
"""Replies by check and case; of a check that is no battery's each reply is a case."""


@dataclass(frozen=True)
class Known:
    """How a misconception fares: its transcript in every check that it fails, and does not hang in.

    Attributes:
        telling: the checks among them whose replies are not those of the right answer.
        wrong: the cases of these checks in which it replies as the right answer does not.
    """

    transcripts: Transcripts
    telling: frozenset[str]
    wrong: Cases = field(default_factory=dict, compare=False)

    def equals(self, other: Known) -> bool:
        """Whether both say something, and the same in the same checks, within tolerance."""
        return (
            bool(self.transcripts)
            and self.telling == other.telling
            and alike(self.transcripts, other.transcripts)
        )


@dataclass(frozen=True)
class Mistakes:
    """The known mistakes of one question.

    Attributes:
        known: the misconceptions by name.
        right: what the right answer replies, in all cases.
    """

    known: dict[str, Known] = field(default_factory=dict)
    right: Cases = field(default_factory=dict)


def known(failed: Transcripts, right: Transcripts) -> Known:
    """How a misconception fares that says `failed` where the right answer says `right`."""
    telling = (check for check in failed if not same(failed[check], right[check]))
    return Known(failed, frozenset(telling), wrong(by_case(failed), by_case(right)))


def by_case(transcripts: Mapping[str, Transcript]) -> Cases:
    """The fingerprint of what was said in each case of each check."""
    return {
        (check, case): Print.of([said])
        for check, transcript in transcripts.items()
        for number, one in enumerate(transcript)
        for case, said in (one.cases or {str(number): one}).items()
    }


def wrong(said: Cases, right: Cases) -> Cases:
    """Those cases in which something else was said than what is right."""
    return {
        case: one for case, one in said.items() if not (case in right and one.equals(right[case]))
    }


def as_bytes(mistakes: Mistakes) -> bytes:
    """A safetensors file of a question's misconceptions; equal samples are kept once."""
    tensors: dict[str, torch.Tensor] = {}
    keys: dict[bytes, str] = {}

    def kept(sample: Sample) -> dict[str, Any]:
        numbers = sample.numbers.contiguous()
        key = keys.setdefault(numbers.numpy().tobytes(), f"t{len(keys):04}")
        tensors[key] = numbers
        return {"dtype": sample.dtype, "shape": sample.shape, "numbers": key}

    described = {
        name: {
            "telling": sorted(its.telling),
            "checks": {
                check: [
                    {"tensors": {n: kept(s) for n, s in said.tensors.items()}, "facts": said.facts}
                    for said in transcript
                ]
                for check, transcript in its.transcripts.items()
            },
        }
        for name, its in mistakes.known.items()
    }
    all_cases = {RIGHT: mistakes.right, **{n: its.wrong for n, its in mistakes.known.items()}}
    places, prints = _packed(all_cases)
    told = json.dumps({"replies": described, "cases": places})
    data: bytes = save({**tensors, **prints}, {STORED: told})
    return data


def load(path: Path) -> Mistakes:
    """What `as_bytes` wrote to `path`; nothing when no file is there, or one of another format."""
    if not path.is_file():
        return Mistakes()
    with safe_open(path, framework="pt") as file:
        if STORED not in file.metadata():
            return Mistakes()
        tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 - no mapping
        told = json.loads(file.metadata()[STORED])
    cases = _unpacked(told["cases"], tensors)

    def said(found: dict[str, Any]) -> Utterance:
        samples = {
            name: Sample(kept["dtype"], kept["shape"], tensors[kept["numbers"]])
            for name, kept in found["tensors"].items()
        }
        return Utterance(samples, found["facts"])

    every = {
        name: Known(
            {check: [said(one) for one in said_all] for check, said_all in its["checks"].items()},
            frozenset(its["telling"]),
            cases[name],
        )
        for name, its in told["replies"].items()
    }
    return Mistakes(every, cases[RIGHT])


def _packed(cases: Mapping[str, Cases]) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """By name the places of its cases and of their prints, and the prints."""
    checks: dict[tuple[str, str], int] = {}
    prints = Prints()

    def places(key: tuple[str, str], one: Print) -> list[int]:
        return [checks.setdefault(key, len(checks)), prints.number(one)]

    of = {name: [places(key, one) for key, one in some.items()] for name, some in cases.items()}
    return {"cases": [*checks], "of": of}, prints.tensors()


def _unpacked(told: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> dict[str, Cases]:
    prints = prints_in(tensors)
    keys = [(check, case) for check, case in told["cases"]]
    return {
        name: {keys[case]: prints[one] for case, one in pairs} for name, pairs in told["of"].items()
    }
