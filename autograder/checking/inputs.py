"""The kinds of tensors that may be given to an answer, and how each is made from a seed.

Shapes are written in names of sizes, as in `domain`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from autograder.checking.properties import numbers

Data = Literal["ordinary", "zeros", "large", "huge", "vast", "distant", "alike", "gaps"]
PEAKS = {"large": 16, "huge": 256, "vast": 1 << 18}  # scores of vast numbers lie beyond -1e9, too
DISTANCE = 1000  # to what distant numbers, no two alike, lie from zero: so none of them ties
LONE = ("huge", "vast")  # with a mask that leaves a single visible key in each row


@dataclass(frozen=True)
class Floats:
    """Numbers with a fraction.

    Attributes:
        shape: in names of sizes.
        scale: their standard deviation.
        padded: whether the last row is zero.
    """

    shape: str
    scale: float = 1.0
    padded: bool = False

    def made(self, seed: int, shape: Sequence[int], data: Data) -> torch.Tensor:
        """A float32 tensor; large ones are few whole numbers, so that products of them may tie."""
        ordinary = numbers(seed, *shape, scale=self.scale)
        if self.padded and shape[-2] > 1:
            ordinary[..., -1, :] = 0
        if data == "zeros":
            return torch.zeros(*shape)
        if data == "gaps" and ordinary.dim() > 1:
            ordinary[..., 1::3, :] = 0
        if data == "distant":
            return DISTANCE * ordinary
        if largest := PEAKS.get(data, 0):
            grid = largest // 4 * (2 * ordinary).round().clamp(-4, 4)
            if grid.dim() > 1 and grid.shape[-2]:
                grid[..., 3:4, :] = 0
                grid[..., 1:2, :] = largest // 2
                grid[..., 0, :] = largest
                if data == "vast":  # so that a score lies far below zero, whichever key is seen
                    grid[..., 2:3, :] = -largest // 2
            return grid
        if data == "alike" and ordinary.dim() > 1 and ordinary.shape[-2]:
            return ordinary[..., :1, :].expand(*shape).clone()
        return ordinary


@dataclass(frozen=True)
class Integers:
    """Whole numbers from `low` up to, and without, `high`, which may be the name of a size."""

    shape: str
    low: int
    high: int | str

    def made(self, seed: int, shape: Sequence[int], data: Data, high: int) -> torch.Tensor:
        """An int64 tensor: the lowest for zeros, the highest for large numbers."""
        if data == "zeros":
            return torch.full(tuple(shape), self.low)
        if data in PEAKS:
            return torch.full(tuple(shape), max(high - 1, self.low))
        generator = torch.Generator().manual_seed(seed)
        top = max(high, self.low + 1)
        ordinary = torch.randint(self.low, top, tuple(shape), generator=generator)
        if data == "alike" and len(ordinary):
            return ordinary[:1].expand(*shape).clone()
        return ordinary


@dataclass(frozen=True)
class Masks:
    """Booleans, True where attention may go: no triangle, holes in the middle.

    Every row has a True, unless `empty`.

    Attributes:
        shape: in names of sizes.
        integers: whether they are ones and zeros instead, as a tokenizer gives them.
        mixed: whether they have True and False beside zeros and large numbers, too; beside huge
            ones a row has one True, whose weight is 1 however sums of such numbers are rounded.
        empty: whether the last row may be all False, as all rows beside numbers that are alike.
    """

    shape: str
    integers: bool = False
    mixed: bool = False
    empty: bool = False

    def made(self, seed: int, shape: Sequence[int], data: Data) -> torch.Tensor:
        """A mask: all True for zeros, one True in a row for large numbers and beyond."""
        generator = torch.Generator().manual_seed(seed)
        mask = torch.rand(*shape, generator=generator) < 0.6
        kept = torch.randint(shape[-1], (*shape[:-1], 1), generator=generator)
        if data == "zeros" and not self.mixed:
            mask = torch.ones_like(mask)
        elif data in LONE or (data == "large" and not self.mixed):
            mask = torch.zeros_like(mask)
        mask = mask.scatter(-1, kept, True)
        if self.empty and data not in LONE and mask[..., 0].numel() > 1:
            mask.flatten(0, -2)[0 if data == "alike" else -1 :] = False
        return mask.long() if self.integers else mask


@dataclass(frozen=True)
class Weights:
    """Rows of attention, which sum to 1.

    Attributes:
        shape: in names of sizes.
        dropped: whether some weights are 0 and the others larger, as dropout leaves them.
        first: whether all weight of a row may lie on its first key.
    """

    shape: str
    dropped: bool = False
    first: bool = True

    def made(self, seed: int, shape: Sequence[int], data: Data) -> torch.Tensor:
        """A float32 tensor: even rows for zeros, all on one key for large numbers."""
        kind: Data = "ordinary" if data in ("distant", "gaps") else data
        scores = Floats(self.shape, scale=2.0).made(seed, shape, kind)
        if data in PEAKS:
            start = 0 if self.first else 1
            chosen = start + scores[..., start:].argmax(-1)
            return torch.nn.functional.one_hot(chosen, shape[-1]).float()
        weights = torch.softmax(scores, dim=-1)
        return weights * (numbers(seed + 1, *shape) > -0.5) / 0.7 if self.dropped else weights


@dataclass(frozen=True)
class Tokens:
    """Ids from 1 up to, and without, `high`, and padding, 0, at the end of all rows but the first.

    Attributes:
        shape: in names of sizes.
        high: a number, or the name of a size.
        inside: whether padding stands between tokens too, in the last row.
    """

    shape: str
    high: int | str
    inside: bool = False

    def made(self, seed: int, shape: Sequence[int], data: Data, high: int) -> torch.Tensor:
        """An int64 tensor; zeros are all padding, gaps none of it, large ids the highest."""
        if data not in ("ordinary", "gaps"):
            return torch.full(tuple(shape), {"zeros": 0, "alike": 1}.get(data, high - 1))
        generator = torch.Generator().manual_seed(seed)
        ids = torch.randint(1, max(high, 2), tuple(shape), generator=generator)
        if data == "gaps":
            return ids
        for number, row in enumerate(ids):
            if number:
                row[max(1, len(row) - (1 + number % 2) * max(1, len(row) // 3)) :] = 0
        if self.inside and len(ids[-1]) > 2:
            ids[-1, 1] = 0
        return ids


Input = Floats | Integers | Masks | Weights | Tokens
