"""What kind of error wrong numbers show, told from the numbers alone."""

from __future__ import annotations

from collections.abc import Callable

import torch

from autograder.results import sentences

RTOL, ATOL = 1e-3, 1e-5
ROUGH = 0.05
ENOUGH, MOST = 4, 20_000  # numbers in which a pattern is looked for
WRONG = 3  # of which so many have to be wrong: through two a line can always be drawn

MOSTLY = 0.5  # of the numbers at a place that counts as wrong
LONGEST = 64  # places of which it is told; who asks often shall learn no more by it
ROWS = 2_000  # among which those of another order are looked for


def kind_of_error(found: torch.Tensor, wanted: torch.Tensor) -> str:
    """A sentence about how `found` differs from `wanted`, of one shape; empty where none fits."""
    a, b = found.detach().double(), wanted.detach().double()
    if b.isinf().any() and not torch.equal(a.isinf(), b.isinf()):
        return sentences.INFINITE_ELSEWHERE
    if not ENOUGH <= a.numel() <= MOST or not bool(a.isfinite().all() & b.isfinite().all()):
        return ""
    if _same(a, b):  # but for a tolerance of the largest: no pattern would be one of the error's
        return sentences.NEARLY
    few = int(((a - b).abs() > ATOL + RTOL * b.abs()).sum()) < WRONG
    for fits, sentence in KINDS:
        if few and fits not in OF_PLACES:
            continue
        if fits in OF_FRACTIONS and not wanted.is_floating_point():
            continue
        if fits(a, b):
            return sentence(a, b) if callable(sentence) else sentence
    return ""


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    scale = float(b.abs().max())
    return a.shape == b.shape and torch.allclose(a, b, rtol=RTOL, atol=ATOL + RTOL * scale)


def _is_varied(tensor: torch.Tensor) -> bool:
    return not _same(tensor, tensor.mean().expand_as(tensor))


def _factor(a: torch.Tensor, b: torch.Tensor) -> float:
    return float((a * b).sum() / (b * b).sum().clamp_min(1e-30))


def _scaled(a: torch.Tensor, b: torch.Tensor) -> bool:
    factor = _factor(a, b)
    told = abs(factor) > ATOL and abs(factor - 1) > ROUGH
    return told and _is_varied(b) and _same(a, factor * b)


def _shifted(a: torch.Tensor, b: torch.Tensor) -> bool:
    return _is_varied(b) and _same(a - b, (a - b).mean().expand_as(a))


def _transposed(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dim() > 1 and _is_varied(b) and _same(a, b.transpose(-1, -2))


def _reordered(a: torch.Tensor, b: torch.Tensor) -> bool:
    """The same rows in another order."""
    if a.dim() < 2 or not _is_varied(b):
        return False
    mine, its = (t.reshape(-1, t.shape[-1]) for t in (a, b))
    if len(mine) > ROWS:
        return False
    distances = torch.cdist(mine, its)
    nearest = distances.argmin(dim=1)
    return len(set(nearest.tolist())) == len(nearest) and _same(mine, its[nearest])


def _masked(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Right, but that some numbers are 0 which should not be, or the other way round."""
    right = (a - b).abs() <= ATOL + RTOL * b.abs()
    zero = (a == 0) | (b == 0)
    return bool((right | zero).all()) and bool((right & ~zero).any())


def _constant_along(a: torch.Tensor, b: torch.Tensor) -> int | None:
    for axis in range(a.dim()):
        means = a.mean(dim=axis, keepdim=True), b.mean(dim=axis, keepdim=True)
        alike = [_same(t, mean.expand_as(t)) for t, mean in zip((a, b), means, strict=True)]
        if a.shape[axis] > 1 and alike == [True, False]:
            return axis
    return None


def _wrong_along(a: torch.Tensor, b: torch.Tensor) -> tuple[int, range] | None:
    """An axis, and places along it at which most numbers are wrong; none is at the others.

    They are one stretch, or every second place of one. Of several axes it is the first.
    """
    wrong = (a - b).abs() > ATOL + RTOL * b.abs()
    for axis, size in enumerate(a.shape):
        shares = wrong.double().movedim(axis, 0).reshape(size, -1).mean(dim=1)
        places = shares.nonzero().flatten().tolist()
        if size > LONGEST or not 0 < len(places) < size or not (shares[places] > MOSTLY).all():
            continue
        for step in (1, 2):
            stretch = range(places[0], places[-1] + 1, step)
            if [*stretch] == places:
                return axis, stretch
    return None


def _has_wrong_places(a: torch.Tensor, b: torch.Tensor) -> bool:
    return _wrong_along(a, b) is not None


def _nearly(a: torch.Tensor, b: torch.Tensor) -> bool:
    return float((a - b).norm()) < ROUGH * float(b.norm())


Fits = Callable[[torch.Tensor, torch.Tensor], bool]
KINDS: list[tuple[Fits, str | Callable[[torch.Tensor, torch.Tensor], str]]] = [
    (lambda a, b: not bool(a.any()), sentences.ALL_ZERO),
    (_scaled, lambda a, b: sentences.off_by_a_factor(_factor(a, b))),
    (_shifted, sentences.OFF_BY_A_CONSTANT),
    (_transposed, sentences.TRANSPOSED),
    (_reordered, sentences.REORDERED),
    (
        lambda a, b: _constant_along(a, b) is not None,
        lambda a, b: sentences.constant_along(_constant_along(a, b) or 0),
    ),
    (_masked, sentences.RIGHT_BUT_ZEROS),
    (
        _has_wrong_places,
        lambda a, b: sentences.wrong_along(*(_wrong_along(a, b) or (0, range(1)))),
    ),
    (_nearly, sentences.NEARLY),
]
"""The kinds in the order in which they are looked for, each with what is said of it."""
OF_PLACES = (_transposed, _reordered)
"""Those that any two wrong numbers show."""
OF_FRACTIONS = (_scaled, _masked, _has_wrong_places, _nearly)
"""Those that say nothing of ids and truth values: an id that is near the right one is wrong."""
