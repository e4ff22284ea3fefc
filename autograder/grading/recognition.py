"""Telling which known misconception a wrong answer shows, by what its probes brought back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save

from autograder.checking.misconceptions import Misconception
from autograder.grading.transcripts import (
    Sample,
    Transcript,
    Transcripts,
    Utterance,
    alike,
    numbers_in,
    same,
)
from autograder.results.model import CheckResult, Diagnosis

SHARE = 0.5  # of the checks that tell a misconception, which must be matched to name it


@dataclass(frozen=True)
class Known:
    """How a misconception fares: its transcript in every check that it fails.

    Attributes:
        telling: the checks among them whose replies are not those of the right answer.
    """

    transcripts: Transcripts
    telling: frozenset[str]

    def equals(self, other: Known) -> bool:
        """Whether both say the same in the same checks, within tolerance."""
        return self.telling == other.telling and alike(self.transcripts, other.transcripts)


def known(failed: Transcripts, right: Transcripts) -> Known:
    """How a misconception fares that says `failed` where the right answer says `right`."""
    telling = (check for check in failed if not same(failed[check], right[check]))
    return Known(failed, frozenset(telling))


def name_misconceptions(
    checks: Sequence[CheckResult],
    heard: Mapping[str, Transcript],
    library: Mapping[str, Known],
    sentences: Mapping[str, Misconception],
) -> list[CheckResult]:
    """`checks` of one question, each failed one with the misconception that it shows, if any."""
    failed = [check.name for check in checks if not check.passed]
    matches = {
        name: _matched(its, heard, failed)
        for name, its in library.items()
        if name in sentences and its.transcripts.keys() <= set(failed)
    }
    matches = {n: m for n, m in matches.items() if m and _suffice(m, library[n])}
    named = []
    for check in checks:
        name = _best(check.name, matches)
        if name is not None:
            said = sentences[name].sentence
            check = replace(check, diagnosis=Diagnosis("misconception", name, said))
        named.append(check)
    return named


def _suffice(matched: set[str], its: Known) -> bool:
    """Whether the checks that were matched are enough, all that tell it by facts alone among them.

    Numbers may be those of another mistake as well; what a module is made of is what it is.
    """
    by_facts = {check for check in its.telling if not numbers_in(its.transcripts[check])}
    return by_facts <= matched and len(matched) >= SHARE * len(its.telling)


def _matched(its: Known, heard: Mapping[str, Transcript], failed: Sequence[str]) -> set[str]:
    """The failed checks in which a student said what this misconception says, and only it."""
    return {
        check
        for check in failed
        if check in its.telling and same(its.transcripts[check], heard.get(check, ()))
    }


def _best(check: str, matches: Mapping[str, set[str]]) -> str | None:
    """The misconception with most matches among those that match `check`; None when two tie."""
    rivals = sorted((len(found), name) for name, found in matches.items() if check in found)
    if not rivals or (len(rivals) > 1 and rivals[-1][0] == rivals[-2][0]):
        return None
    return rivals[-1][1]


def as_bytes(library: Mapping[str, Known]) -> bytes:
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
        for name, its in library.items()
    }
    data: bytes = save(tensors, {"misconceptions": json.dumps(described)})
    return data


def load(path: Path) -> dict[str, Known]:
    """What `as_bytes` wrote to `path`; nothing when there is no file."""
    if not path.is_file():
        return {}
    with safe_open(path, framework="pt") as file:
        tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 - no mapping
        described = json.loads(file.metadata()["misconceptions"])

    def said(found: dict[str, Any]) -> Utterance:
        samples = {
            name: Sample(kept["dtype"], kept["shape"], tensors[kept["numbers"]])
            for name, kept in found["tensors"].items()
        }
        return Utterance(samples, found["facts"])

    return {
        name: Known(
            {check: [said(one) for one in said_all] for check, said_all in its["checks"].items()},
            frozenset(its["telling"]),
        )
        for name, its in described.items()
    }
