"""The tensors of a domain's cases, the same for everybody."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from autograder.box.tensors import united
from autograder.checking.cases import Case, Sizes
from autograder.checking.choosing import BATCHES, LENGTHS
from autograder.checking.inputs import PEAKS, Data, Integers, Tokens
from autograder.checking.properties import numbers

if TYPE_CHECKING:
    from autograder.checking.domain import Domain

Tensors = dict[str, torch.Tensor]


class Maker:
    """Makes the tensors of a domain's cases once; whoever asks must leave them as they are."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._tensors: dict[tuple[str, str, bool], Tensors] = {}
        self._roles: dict[tuple[str, str, tuple[int, ...]], torch.Tensor] = {}

    def tensors(self, case: Case) -> Tensors:
        """The inputs of a case by name, its directions, and other inputs of the same module."""
        key = case.id, case.source, case.again
        if key not in self._tensors:
            self._tensors[key] = self._made(case)
        return self._tensors[key]

    def role(self, case: Case, name: str, shape: Sequence[int]) -> torch.Tensor:
        """The numbers that a parameter of the solution has in a case."""
        key = case.source, name, tuple(shape)
        if key not in self._roles:
            self._roles[key] = self._role(case, name, shape)
        return self._roles[key]

    def _made(self, case: Case) -> Tensors:
        made = self._inputs(case.sizes, case.data, case.source, case.source)
        made = united(made, case.shared)
        for name, spec in self._domain.returns.items():
            key = f"{case.source}/direction/{name}"
            made[key] = numbers(self._seed(key), *self._domain.shape(spec, case.sizes))
        if case.again:
            made |= self._inputs(self._other_sizes(case.sizes), "ordinary", f"{case.source}/other")
        return made

    def _other_sizes(self, sizes: Sizes) -> dict[str, int]:
        """Fewer and shorter sequences, of smaller vectors where the same module takes them."""
        kept = {
            name
            for name in self._domain.sizes_of_module
            if not name.startswith((*LENGTHS, *BATCHES))
        }
        fewer = {name: sizes[name] - (name not in kept) for name in self._domain.sizes}
        return self._domain.bounded(fewer)

    def _inputs(self, sizes: Sizes, data: Data, key: str, seeded: str = "") -> Tensors:
        made = {}
        for name, kind in self._domain.kinds.items():
            shape, seed = self._domain.shape(kind.shape, sizes), self._seed(seeded or key, name)
            if isinstance(kind, Integers | Tokens):
                high = kind.high
                high = high if isinstance(high, int) else self._domain.shape(high, sizes)[0]
                made[f"{key}/{name}"] = kind.made(seed, shape, data, high)
            else:
                made[f"{key}/{name}"] = kind.made(seed, shape, data)
        return made

    def _role(self, case: Case, name: str, shape: Sequence[int]) -> torch.Tensor:
        seed = self._seed(case.source, "role", name)
        scale = shape[-1] ** -0.5 if len(shape) > 1 else 0.5
        weights = numbers(seed, *shape, scale=scale)
        return (weights / scale).round().clamp(-1, 1) if case.data in PEAKS else weights

    def _seed(self, *words: str) -> int:
        text = "/".join([self._domain.answer, *words])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
