"""What is kept of the replies to a battery: what was asked for, and not much more than that."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import torch

from autograder.checking.asking import Reply
from autograder.checking.cases import Case
from autograder.checking.domain import Domain
from autograder.checking.structures import Structure

SPARE_BYTES = 2 << 20
"""How many bytes the results of one answer may have beyond those that they should have."""
LARGEST_ITEM = 8
"""Bytes of a number of the largest kind that a right result may have."""


class ReplyTensors:
    """The tensors of all replies of one answer.

    Whatever else is in a reply is let go. Of tensors that are larger than they should be as many
    are kept as there is room for, and of all others the shape.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._room = SPARE_BYTES

    def of(self, reply: Reply, case: Case, structure: Structure) -> dict[str, torch.Tensor]:
        """Those of a case by `case/name`."""
        found = {}
        for name, shape in self._asked_for(case, structure):
            key = f"{case.id}/{name}"
            if key in reply:
                tensor = reply.tensor(key)
                beyond = max(0, tensor.nbytes - LARGEST_ITEM * math.prod(shape))
                fits = beyond <= self._room
                self._room -= beyond if fits else 0
                found[key] = tensor if fits else _numberless(tensor)
        return found

    def _asked_for(self, case: Case, structure: Structure) -> Iterator[tuple[str, Sequence[int]]]:
        """Results and gradients by name, with the shapes that they should have."""
        domain = self._domain
        for name, spec in domain.returns.items():
            yield name, domain.shape(spec, case.sizes)
            if domain.dropout and case.training:
                yield f"mean/{name}", domain.shape(spec, case.sizes)
                yield f"spread/{name}", domain.shape(spec, case.sizes)
        if not case.gradients:
            return
        for name, kind in domain.kinds.items():
            yield f"gradient/{name}", domain.shape(kind.shape, case.sizes)
        for role, shape in structure.wanted.items():
            yield f"gradient/{structure.numbers[role]}", shape


def _numberless(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the same shape and kind that takes no room."""
    return tensor.new_zeros(()).expand(tensor.shape)
