"""Fingerprints of what probes bring back: small enough to keep of thousands of answers.

Theory of operation. A print is a digest of all that is exact, and a few sums of all numbers with
fixed factors, which differ a little where the numbers do.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch

from autograder.grading.transcripts import Transcript, exact
from autograder.results.fingerprint import TOLERANCE

SUMS = 3
DIGEST_BYTES = 4
NOT_FINITE = {"nan": 37.0, "inf": 41.0, "-inf": -41.0}


@dataclass(frozen=True)
class Print:
    """The fingerprint of what the probes of one check brought back.

    Attributes:
        digest: of everything exact: facts, dtypes, shapes.
        sums: of all numbers, (SUMS,), float32.
    """

    digest: bytes
    sums: torch.Tensor

    @classmethod
    def of(cls, transcript: Transcript) -> Print:
        numbers: list[torch.Tensor] = []
        known = []
        for one in transcript:
            shapes = {n: [s.dtype, s.shape] for n, s in sorted(one.tensors.items())}
            numbers += [one.tensors[name].numbers.double() for name in shapes]
            known.append([shapes, exact(one.facts, numbers)])
        digest = hashlib.sha256(json.dumps(known, sort_keys=True).encode()).digest()
        return cls(digest[:DIGEST_BYTES], _sums(torch.cat([torch.zeros(1), *numbers])))

    @property
    def numbers(self) -> bool:
        """Whether numbers were brought back, and not only zeros."""
        return bool(self.sums.any())

    def equals(self, other: Print) -> bool:
        """Whether both may be of the same reply, within the tolerance of sums."""
        if self.digest != other.digest:
            return False
        return bool(((self.sums - other.sums).abs() <= TOLERANCE).all())


def _sums(numbers: torch.Tensor) -> torch.Tensor:
    """Sums with waves as factors, which unlike random factors are the same everywhere."""
    finite = numbers.nan_to_num(NOT_FINITE["nan"], NOT_FINITE["inf"], NOT_FINITE["-inf"])
    places = torch.arange(len(finite), dtype=torch.float64)
    waves = [torch.cos(places * math.sqrt(prime) + prime) for prime in (2, 3, 5)[:SUMS]]
    factors = torch.stack(waves) * math.sqrt(2 / len(finite))
    return (factors @ torch.asinh(finite.double())).float()


class Prints:
    """Prints by number; equal ones have one."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._kept: list[Print] = []

    def number(self, one: Print) -> int:
        """That of a print, which is kept."""
        key = one.digest + one.sums.numpy().tobytes()
        number = self._numbers.setdefault(key, len(self._kept))
        if number == len(self._kept):
            self._kept.append(one)
        return number

    def tensors(self) -> dict[str, torch.Tensor]:
        """`digests`, (prints, DIGEST_BYTES), uint8, and `sums`, (prints, SUMS), float32."""
        digests = torch.tensor([[*one.digest] for one in self._kept], dtype=torch.uint8)
        sums = torch.stack([one.sums for one in self._kept]) if self._kept else torch.zeros(0, SUMS)
        return {"digests": digests.reshape(-1, DIGEST_BYTES), "sums": sums}


def prints_in(tensors: Mapping[str, torch.Tensor]) -> list[Print]:
    """The prints of `Prints.tensors`, by number."""
    both = zip(tensors["digests"].tolist(), tensors["sums"], strict=True)
    return [Print(bytes(digest), sums) for digest, sums in both]
