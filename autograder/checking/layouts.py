"""Where the solution's weights have a place in a student's module, whatever it calls its layers.

The parameters of the solution's module are called *roles*. A layout says for each of the student's
parameters which roles lie in it: one, or several stacked, as they are or transposed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import islice, permutations, product
from math import prod
from typing import Any

Shape = tuple[int, ...]

MOST = 24
"""Layouts that are tried at most."""


@dataclass(frozen=True)
class Place:
    """What lies in one parameter: roles by name, from the first row on."""

    roles: tuple[str, ...]
    transposed: bool = False

    def as_dict(self, number: Mapping[str, str]) -> dict[str, Any]:
        """As the plan of a battery has it, roles by `number`."""
        return {"roles": [number[role] for role in self.roles], "transposed": self.transposed}


Layout = dict[str, Place]
"""By the name of the student's parameter."""


def layouts(mine: Mapping[str, Shape], roles: Mapping[str, Shape]) -> list[Layout]:
    """The ways in which `roles` fill the parameters `mine`, the most likely first.

    Both are in the order in which a call uses them. Nothing when there is no way: a layer is
    missing, too many, without bias, or of another size.
    """
    plain = {name: _squeezed(shape) for name, shape in mine.items()}
    found = list(islice(_one_each(plain, roles), MOST))
    if not found:  # what a layer of several is called does not tell in which order they lie there
        return list(islice(_stacked(plain, roles), MOST))
    likeliest = sorted(found, key=lambda layout: -_likeness(layout))
    if in_order := _in_order(plain, roles):
        likeliest = [in_order, *(way for way in likeliest if way != in_order)]
    return [turned for way in likeliest for turned in _turned(way, plain)][:MOST]


def _turned(layout: Layout, mine: Mapping[str, Shape]) -> list[Layout]:
    """Both ways in which square matrices may lie that are no layer's weight: no shape tells it.

    Those that are not square do, for the others of the same module.
    """
    bare = [name for name in mine if len(mine[name]) == 2 and not name.endswith(".weight")]
    square = [name for name in bare if mine[name][0] == mine[name][1] > 1]
    if not square:
        return [layout]
    other = layout | {name: replace(layout[name], transposed=True) for name in square}
    turns = any(layout[name].transposed for name in bare)
    return [other, layout] if turns else [layout, other]


def _squeezed(shape: Shape) -> Shape:
    """Without sizes of 1 at the end, as a convolution of width 1 has them."""
    while len(shape) > 2 and shape[-1] == 1:
        shape = shape[:-1]
    return shape


Group = Sequence[str]


def _by_kind(
    mine: Mapping[str, Shape], roles: Mapping[str, Shape]
) -> list[tuple[list[Group], list[Group]]] | None:
    """Layers of both sides that have parameters of the same shapes; None where they do not fit."""
    groups, wanted = _groups(mine), _groups(roles)
    if len(mine) != len(roles) or sorted(map(len, groups)) != sorted(map(len, wanted)):
        return None
    found: list[tuple[list[Group], list[Group]]] = []
    for kind in sorted({_signature(group, mine) for group in groups}):
        have: list[Group] = [group for group in groups if _signature(group, mine) == kind]
        need: list[Group] = [group for group in wanted if _signature(group, roles) == kind]
        if len(have) != len(need):
            return None
        found.append((have, need))
    return found


def _in_order(mine: Mapping[str, Shape], roles: Mapping[str, Shape]) -> Layout | None:
    """Layers in the order of their use; those of one kind by the names of their own, if alike."""
    layout: Layout = {}
    for have, need in _by_kind(mine, roles) or []:
        if sorted(map(_own_name, have)) == sorted(map(_own_name, need)):
            have, need = sorted(have, key=_own_name), sorted(need, key=_own_name)
        for group, other in zip(have, need, strict=True):
            layout |= _paired(group, other, mine, roles)
    return layout or None


def _own_name(group: Group) -> str:
    """What a layer is called in the module that holds it."""
    layer, dot, own = group[0].rpartition(".")
    return _last(layer) if dot else own


def _one_each(mine: Mapping[str, Shape], roles: Mapping[str, Shape]) -> Iterator[Layout]:
    """One role in each parameter, layers kept together: a bias stays with its weight."""
    if len(mine) != len(roles):
        return
    if repeated := list(islice(_repeated(mine, roles), MOST)):
        yield from repeated
        return
    kinds = _by_kind(mine, roles)
    if kinds is None:
        yield from _by_shape(mine, roles)
        return
    choices = [
        [list(zip(have, order, strict=True)) for order in _orders(need)] for have, need in kinds
    ]
    for chosen in product(*choices):
        layout: Layout = {}
        for pairs in chosen:
            for group, other in pairs:
                layout |= _paired(group, other, mine, roles)
        yield layout


def _repeated(mine: Mapping[str, Shape], roles: Mapping[str, Shape]) -> Iterator[Layout]:
    """The same part of each block in each of the solution's blocks, which are told by a number."""
    have, need = _families(mine), _families(roles)
    if len(have) != len(need) or all(len(family) == 1 for family in need):
        return
    choices = []
    kinds = {(_signature(family[0], mine), len(family)) for family in have}
    for signature, count in sorted(kinds):
        own = [f for f in have if (_signature(f[0], mine), len(f)) == (signature, count)]
        theirs = [f for f in need if (_signature(f[0], roles), len(f)) == (signature, count)]
        if len(own) != len(theirs):
            return
        choices.append([list(zip(own, order, strict=True)) for order in _orders(theirs)])
    for chosen in product(*choices):
        pairs = [pair for part in chosen for pair in part]
        groups = [pair for family in pairs for pair in zip(*family, strict=True)]
        yield {k: v for pair in groups for k, v in _paired(*pair, mine, roles).items()}


def _families(shapes: Mapping[str, Shape]) -> list[list[list[str]]]:
    """Layers of one signature whose names differ in their first number alone."""
    found: dict[tuple[str, tuple[Shape, ...]], list[list[str]]] = {}
    for group in _groups(shapes):
        family = re.sub(r"\d+", "", group[0], count=1), _signature(group, shapes)
        found.setdefault(family, []).append(group)
    return list(found.values())


def _by_shape(mine: Mapping[str, Shape], roles: Mapping[str, Shape]) -> Iterator[Layout]:
    """One role in each parameter by shape alone, if need be transposed."""
    shapes = {tuple(sorted(shape)) for shape in [*mine.values(), *roles.values()]}
    choices = []
    for shape in sorted(shapes):
        have = [name for name, found in mine.items() if tuple(sorted(found)) == shape]
        need = [name for name, found in roles.items() if tuple(sorted(found)) == shape]
        if len(have) != len(need):
            return
        orders = [list(zip(have, order, strict=True)) for order in _orders(need)]
        fitting = [o for o in orders if all(_fits(mine[name], roles[role]) for name, role in o)]
        if not fitting:  # else all combinations of the others would be tried in vain
            return
        choices.append(fitting)
    for chosen in product(*choices):
        pairs = [pair for part in chosen for pair in part]
        yield {name: Place((role,), mine[name] != roles[role]) for name, role in pairs}


def _fits(mine: Shape, role: Shape) -> bool:
    return mine in (role, role[::-1])


def _stacked(mine: Mapping[str, Shape], roles: Mapping[str, Shape]) -> Iterator[Layout]:
    """Several layers of the solution in one of the student's, in the order of their use first."""
    wanted = _groups(roles)
    groups = _groups(mine)
    if len(wanted) > 4 or sum(map(prod, mine.values())) != sum(map(prod, roles.values())):
        return
    if () in [*mine.values(), *roles.values()]:  # a single number has no rows
        return
    for order in permutations(wanted):
        layout = _filled(groups, list(order), mine, roles)
        if layout is not None:
            yield layout


def _filled(
    groups: Sequence[Sequence[str]],
    waiting: list[Sequence[str]],
    mine: Mapping[str, Shape],
    roles: Mapping[str, Shape],
) -> Layout | None:
    """Fills the student's layers one after the other, from the first row on."""
    layout: Layout = {}
    for group in groups:
        taken: list[Sequence[str]] = []
        while waiting and _rows(taken, roles) < mine[group[0]][0]:
            taken.append(waiting.pop(0))
        if _rows(taken, roles) != mine[group[0]][0] or any(len(t) != len(group) for t in taken):
            return None
        for place, name in enumerate(group):
            parts = tuple(one[place] for one in taken)
            if any(roles[part][1:] != mine[name][1:] for part in parts):
                return None
            layout[name] = Place(parts)
    return None if waiting else layout


def _rows(taken: Sequence[Sequence[str]], roles: Mapping[str, Shape]) -> int:
    return sum(roles[one[0]][0] for one in taken)


def _groups(shapes: Mapping[str, Shape]) -> list[list[str]]:
    """Names that belong to one layer, which share all but the last part of their names."""
    found: dict[str, list[str]] = {}
    for name in shapes:
        layer, dot, own = name.rpartition(".")
        found.setdefault(f"{layer}{dot}" if dot else own, []).append(name)
    return [
        sorted(names, key=lambda n: (-len(shapes[n]), n != "weight")) for names in found.values()
    ]


def _signature(group: Sequence[str], shapes: Mapping[str, Shape]) -> tuple[Shape, ...]:
    return tuple(shapes[name] for name in group)


def _paired(
    group: Sequence[str],
    other: Sequence[str],
    mine: Mapping[str, Shape],
    roles: Mapping[str, Shape],
) -> Layout:
    """The parameters of a layer with the roles of another: by their own names where these agree."""
    own = {_last(role): role for role in other}
    if all(_last(n) in own and roles[own[_last(n)]] == mine[n] for n in group):
        return {name: Place((own[_last(name)],)) for name in group}
    return {name: Place((role,)) for name, role in zip(group, other, strict=True)}


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _orders(things: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Orders of `things`, all of few and the likeliest of many."""
    return list(islice(permutations(things), MOST))


def _likeness(layout: Layout) -> float:
    """How much names agree; exact names win."""
    return sum(
        2.0 if place.roles == (name,) else SequenceMatcher(None, name, place.roles[0]).ratio()
        for name, place in layout.items()
    ) / max(len(layout), 1)
