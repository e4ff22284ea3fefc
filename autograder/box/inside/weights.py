"""The solution's weights in a student's module, and the gradients that reach them.

A layout says for each of the module's parameters which *roles*, parameters of the solution's
module, lie in it: several from the first row on, and perhaps transposed (`checking.layouts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from autograder.box.wire import crossing

Layout = Mapping[str, Mapping[str, Any]]
RoleOf = Callable[[str], torch.Tensor]
OWN = frozenset(vars(nn.Module()))
"""Attributes in which every module keeps what PyTorch finds."""


class DoNotFit(Exception):
    """The weights that the grader sent have no place in the module."""


def named(module: nn.Module) -> dict[str, nn.Parameter]:
    """The parameters of a module by the names under which they cross."""
    return {crossing(name): parameter for name, parameter in module.named_parameters()}


def lay(
    module: nn.Module,
    layout: Layout,
    zero: Sequence[str],
    spare: Sequence[str],
    role_of: RoleOf,
) -> None:
    """Gives the parameters in `layout` the numbers of their roles, and 0 to those of `zero`.

    Those of `spare`, and constants, which require no gradient, are left as they are.

    Raises:
        DoNotFit: the module has other parameters than the layout was made for.
    """
    mine = named(module)
    left = mine.keys() - {*layout, *zero, *spare}
    if not mine.keys() >= {*layout, *zero} or any(mine[name].requires_grad for name in left):
        raise DoNotFit
    with torch.no_grad():
        for name in zero:
            mine[name].zero_()
        for name, place in layout.items():
            numbers = _numbers(place, role_of)
            if numbers.numel() != mine[name].numel():
                raise DoNotFit
            mine[name].copy_(numbers.reshape(mine[name].shape))


def lay_alike(module: nn.Module) -> None:
    """Gives each parameter numbers that follow from its shape: those of one shape are the same."""
    with torch.no_grad():
        for parameter in module.parameters():
            count = parameter.numel()
            numbers = (
                torch.sin(torch.arange(1.0, count + 1) ** 2)
                / max(parameter.shape[-1:], default=1) ** 0.5
            )
            parameter.copy_(numbers.reshape(parameter.shape))


def adopt(module: nn.Module) -> list[str]:
    """Registers the layers in lists and the like, and tensors that learn and are no parameters.

    No optimizer finds them, buffers that require gradients included.

    Returns:
        The names of the attributes that hold them.
    """
    adopted: list[str] = []
    known, taken_in = set[int](), -1
    for owner in (waiting := [*module.modules()]):  # grows by what is found
        if len(adopted) > taken_in:  # else they are as they were
            known = {*map(id, waiting), *map(id, module.parameters())}
            taken_in = len(adopted)
        own = [(name, value) for name, value in vars(owner).items() if name not in OWN]
        for name, value in [*own, *owner._buffers.items()]:
            found = [one for one in _held(value) if id(one) not in known]
            layers = [one for one in found if isinstance(one, nn.Module)]
            if layers:
                owner._modules[name] = nn.ModuleList(layers)
                waiting += [one for layer in layers for one in layer.modules()]
            for number, one in enumerate(found):
                if isinstance(one, torch.Tensor):
                    owner._parameters[f"{name}_{number}"] = one  # type: ignore[assignment]
            adopted += [name] if found else []
    return adopted


def _held(value: Any) -> Iterator[Any]:
    """The modules that learn in lists and dictionaries, and tensors that do."""
    if isinstance(value, list | tuple | dict):
        for one in value.values() if isinstance(value, dict) else value:
            if not isinstance(one, nn.Module):
                yield from _held(one)
            elif any(True for _ in one.parameters()):
                yield one
    elif isinstance(value, torch.Tensor) and value.requires_grad and value.is_leaf:
        yield value


def covers(layout: Layout, roles: Mapping[str, torch.Tensor]) -> bool:
    """Whether every row of every role lies somewhere, and nothing else does."""
    lying: dict[str, set[int]] = {role: set() for role in roles}
    for place in layout.values():
        for number, role in enumerate(place["roles"]):
            if role not in roles:
                return False
            lying[role].update(range(len(roles[role]))[_rows(place, number)])
    return all(len(rows) == len(roles[role]) for role, rows in lying.items())


def _numbers(place: Mapping[str, Any], role_of: RoleOf) -> torch.Tensor:
    parts = [role_of(role)[_rows(place, k)] for k, role in enumerate(place["roles"])]
    if len(parts) == 1:
        return parts[0].T if place["transposed"] else parts[0]
    return torch.cat([one.T for one in parts], dim=-1) if place["transposed"] else torch.cat(parts)


def _rows(place: Mapping[str, Any], number: int) -> slice:
    """Which rows of the role of this number lie in a parameter; all, if the layout says nothing."""
    rows = place.get("rows")
    return slice(*rows[number]) if rows else slice(None)


def gradients(
    module: nn.Module, layout: Layout, role_of: RoleOf
) -> Iterator[tuple[str, torch.Tensor]]:
    """The gradient of each role that one reached, in the role's own shape."""
    mine = named(module)
    found: dict[str, torch.Tensor] = {}
    for name, place in layout.items():
        gradient = mine[name].grad
        if gradient is None:
            continue
        slices = [_rows(place, number) for number in range(len(place["roles"]))]
        wholes = [role_of(role) for role in place["roles"]]
        table = gradient
        if wholes[0].dim() == 2:  # a convolution of width 1 has one axis more
            width = wholes[0].shape[1]
            table = gradient.flatten(1) if place["transposed"] else gradient.reshape(-1, width)
        sizes = [len(whole[rows]) for whole, rows in zip(wholes, slices, strict=True)]
        parts = torch.split(table.T if place["transposed"] else table, sizes)
        for role, whole, rows, part in zip(place["roles"], wholes, slices, parts, strict=True):
            into = found.setdefault(role, torch.zeros_like(whole, dtype=gradient.dtype))
            into[rows] += part.reshape(whole[rows].shape)
    yield from found.items()
