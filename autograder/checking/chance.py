"""Numbers that chance has moved, or that have few digits: whether they are as they should be."""

from __future__ import annotations

import torch
from torch.nn.functional import cosine_similarity

CORRELATION = 0.5  # of numbers of few digits with what is right
BY_CHANCE = 0.5  # how far the mean of many calls may be off, by what varies in what is right
ROUNDED = 1e-3  # how far it may be off besides, by the size of what is right
VARIES = 1e-6  # numbers that vary by less are all the same


def are_alike(found: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Whether numbers of few digits vary as they should; where none vary any do."""
    mine, its = (one.double().flatten() - one.double().mean() for one in (found, wanted))
    if not bool(its.abs().max() > VARIES):
        return True
    return float(cosine_similarity(mine, its, dim=0)) > CORRELATION


def is_chance(wanted: torch.Tensor, mean: torch.Tensor | None, spread: torch.Tensor | None) -> bool:
    """Whether the mean of many calls is off by no more than chance moves one call from another."""
    if mean is None or spread is None or not mean.shape == spread.shape == wanted.shape:
        return False
    off, moved, right = (_size(one) for one in (mean - wanted, spread, wanted))
    varies = _size(wanted - wanted.mean())
    return off <= moved + ROUNDED * right and (off < BY_CHANCE * varies or varies < VARIES)


def _size(numbers: torch.Tensor) -> float:
    """The root of the mean of their squares."""
    return float(numbers.double().square().mean().sqrt())
