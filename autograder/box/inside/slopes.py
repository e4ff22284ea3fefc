"""Whether gradients are those of the results, told by differences in double precision.

Only an instructor's own solution is asked so, while its expected tensors are made: where its
gradients are wrong, right answers would lose points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from autograder.box.inside.state import seed_torch

PARAMETERS = "its parameters"
STEPS = 1e-6, 1e-3  # the second for what is computed in single precision on the way
RTOL, ATOL = 1e-3, 1e-7  # of a slope, and of what rounding makes of a difference

Tensors = Mapping[str, torch.Tensor]
Asked = Callable[[Tensors], Sequence[Any]]  # what it returns for its inputs


def false_slopes(
    asked: Asked,
    inputs: Tensors,
    parameters: Sequence[torch.Tensor],
    directions: Sequence[torch.Tensor | None],
) -> list[str]:
    """Along which of its inputs results change otherwise than their gradient says.

    Where it has no gradient at all nothing is told: then none is asked for.

    Args:
        asked: the answer, which returns the same for the same inputs.
        inputs: by name, those that are no integers in double precision.
        parameters: what else it rests on, in double precision; all of them stand as `PARAMETERS`.
        directions: for each result the numbers by which it is summed up, if any.
    """
    leaves = {name: one.detach().clone() for name, one in inputs.items()}
    groups = {n: [one.requires_grad_()] for n, one in leaves.items() if one.is_floating_point()}
    if parameters:
        groups[PARAMETERS] = list(parameters)
    value = _sum(asked(leaves), directions)
    gradients = {name: _gradients(value, group) for name, group in groups.items()}

    def total() -> float:
        return float(_sum(asked(leaves), directions))

    return [name for name, group in groups.items() if _is_false(total, group, gradients[name])]


def _gradients(value: torch.Tensor, group: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    if not value.requires_grad:
        return [torch.zeros_like(one) for one in group]
    found = torch.autograd.grad(
        value, group, retain_graph=True, allow_unused=True, materialize_grads=True
    )
    return list(found)


def _sum(results: Sequence[Any], directions: Sequence[torch.Tensor | None]) -> torch.Tensor:
    whole = torch.zeros((), dtype=torch.float64)
    for one, way in zip(results, directions, strict=False):
        if way is not None and isinstance(one, torch.Tensor) and one.shape == way.shape:
            finite = one.where(one.isfinite(), torch.zeros((), dtype=one.dtype))
            whole = whole + (finite * way).sum()
    return whole


def _is_false(
    total: Callable[[], float], group: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor]
) -> bool:
    seed_torch(0)
    ways = [torch.randn_like(one) * _learning_rows(one) for one in gradients]
    slope = sum(float((one * way).sum()) for one, way in zip(gradients, ways, strict=True))
    for step in STEPS:
        ends = []
        for signed in (step, -step):
            with torch.no_grad(), _moved(group, ways, signed):
                ends.append(total())
        wanted = (ends[0] - ends[1]) / (2 * step)
        off = RTOL * max(abs(slope), abs(wanted)) + ATOL * (1 + abs(ends[0]))
        if abs(slope - wanted) <= off:
            return False
    return True


def _learning_rows(gradient: torch.Tensor) -> torch.Tensor:
    """1, but 0 for rows that no gradient reaches, as torch has it for padding."""
    if gradient.dim() < 2:
        return gradient.any().to(gradient.dtype)
    rows = gradient.flatten(1).any(dim=1).to(gradient.dtype)
    return rows.view(-1, *[1] * (gradient.dim() - 1))


@contextmanager
def _moved(
    group: Sequence[torch.Tensor], ways: Sequence[torch.Tensor], step: float
) -> Iterator[None]:
    was = [one.clone() for one in group]
    for one, way in zip(group, ways, strict=True):
        one.add_(way, alpha=step)
    try:
        yield
    finally:
        for one, before in zip(group, was, strict=True):
            one.copy_(before)
