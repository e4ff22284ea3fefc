"""Comparing tensors of replies: first shapes, then dtypes, then values."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from autograder.checking.asking import Reply
from autograder.checking.error_map import error_map
from autograder.checking.error_patterns import kind_of_error
from autograder.checking.failures import CheckFailure
from autograder.results import sentences

ATOL = 1e-5
RTOL = 1e-4

ArrayLike = Any  # numbers, nested lists of them, or an array of numpy


@dataclass(frozen=True)
class Compared:
    """What a tensor of a reply was compared with.

    Attributes:
        right: the places in which it is that; None for all.
    """

    wanted: torch.Tensor
    right: torch.Tensor | None = None


class _Comparisons(threading.local):
    """What each thread notes of the check that it has under way."""

    def __init__(self) -> None:
        self._noted: list[Compared] = []

    def __iter__(self) -> Iterator[Compared]:
        return iter(self._noted)

    def append(self, one: Compared) -> None:
        self._noted.append(one)

    def clear(self) -> None:
        self._noted.clear()

    @contextmanager
    def left_alone(self) -> Iterator[None]:
        """Notes nothing of what is compared within, for it shows nothing of the check."""
        noted, self._noted = self._noted, []
        try:
            yield
        finally:
            self._noted = noted


comparisons = _Comparisons()
"""What tensors of replies were found to equal, or to equal in part, in the check under way."""


def expect_shape(reply: Reply, name: str, **dims: int) -> torch.Tensor:
    """The tensor `name` of the reply, whose sizes must be those of `dims` in their order."""
    tensor = reply.tensor(name)
    if tuple(tensor.shape) != tuple(dims.values()):
        observed = observed_shape(tensor.shape, [*dims.values()])
        raise CheckFailure(sentences.shape(name, tensor.shape, dims.items()), observed=observed)
    return tensor


def observed_shape(found: Sequence[int], wanted: Sequence[int]) -> str:
    """How a wrong shape differs, a name in `kinds.OBSERVED`; empty where that is not plain."""
    if len(found) < len(wanted) and [n for n in wanted if n != 1] == [n for n in found if n != 1]:
        return "squeezed"
    exchanged = sorted(found) == sorted(wanted) and len({*wanted}) == len(wanted)
    return "axes_exchanged" if exchanged else ""


def expect_close(
    reply: Reply,
    name: str,
    wanted: torch.Tensor | ArrayLike,
    *,
    atol: float = ATOL,
    rtol: float = RTOL,
    exact_dtype: bool = False,
) -> None:
    """The tensor `name` must equal `wanted` in shape, dtype and, within tolerance, values.

    Args:
        wanted: a tensor; or numbers, lists or an array, which have no floating dtype to insist on.
        exact_dtype: whether an integer of another width is wrong.
    """
    found = reply.tensor(name)
    if not isinstance(wanted, torch.Tensor):
        wanted = torch.as_tensor(wanted)
        if wanted.is_floating_point() and found.is_floating_point():
            wanted = wanted.to(found.dtype)
    compare(name, found, wanted, atol=atol, rtol=rtol, exact_dtype=exact_dtype)


def compare(
    name: str,
    found: torch.Tensor,
    wanted: torch.Tensor,
    *,
    atol: float,
    rtol: float,
    exact_dtype: bool = False,
) -> None:
    """Shape first, then dtype, then finiteness, then values.

    `exact_dtype`: whether integers of another width are wrong, too.
    """
    if found.shape != wanted.shape:
        observed = observed_shape(found.shape, wanted.shape)
        said = sentences.plain_shape(name, found.shape, wanted.shape)
        raise CheckFailure(said, observed=observed)
    if found.dtype == wanted.dtype and torch.equal(found, wanted):
        comparisons.append(Compared(wanted))
        return
    if not exact_dtype and _is_integer(found) and _is_integer(wanted):
        found, wanted = found.long(), wanted.long()
    if found.dtype != wanted.dtype:
        said = sentences.dtype(name, found.dtype, wanted.dtype)
        raise CheckFailure(said, observed="other_dtype")
    right = found.isfinite() | ~wanted.isfinite()
    if bool(wanted.isinf().any()):  # then infinite ones may stand in the wrong places
        right |= found.isinf()
    if not bool(right.all()):
        raise CheckFailure(sentences.not_finite(name), observed="not_finite")
    close = torch.isclose(found, wanted, atol=atol, rtol=rtol, equal_nan=True)
    if not bool(close.all()):
        comparisons.append(Compared(wanted, close))
        share = 1 - float(close.float().mean())
        where = error_map(name, ~close)
        said = f"{sentences.values(name, share)} {kind_of_error(found, wanted)}".rstrip()
        raise CheckFailure(said, error_map=where)
    comparisons.append(Compared(wanted))


def _is_integer(tensor: torch.Tensor) -> bool:
    return not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool)
