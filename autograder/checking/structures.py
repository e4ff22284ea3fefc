"""What a module and the solution's are made of, and where the one's weights lie in the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from autograder.checking.asking import Reply
from autograder.checking.battery_replies import shapes_in
from autograder.checking.cases import Case
from autograder.checking.expected import Shapes
from autograder.checking.layouts import MOST, Layout, layouts

LAID, UNBIASED, SEEDED = "", "unbiased.", "seeded."
"""How a module got its weights: as the solution's, but without biases, or by the seed alone. What
the solution answers is stored for each, under names that begin so."""
ALIKE = "alike."
"""Weights that follow from their shapes, for a module in which the solution's have no place."""


@dataclass(frozen=True)
class Way:
    """One of the ways in which roles lie in a module where the box traces them.

    Attributes:
        number: which one.
        bare: whether biases are left out.
    """

    number: int = 0
    bare: bool = False


@dataclass
class Structure:
    """Cases in which the solution's module has parameters of the same names, and their places.

    Attributes:
        wanted: the parameters of the solution's module in the first of the cases.
        cases: those that share it, the first one first.
        outline: name and shape of the parameters of the student's module in the first case; without
            those that are constants, by `requires_grad`, or that no call uses, where the solution's
            fit only then.
        spare: the names of those that no call uses, if they are left out so.
        layout: where the solution's weights lie in it; None where a seed alone makes weights.
        traced: whether the solution's parameters are traced.
        ways: in how many ways the box may find them in the student's module.
        described: whether the student's module could be looked into.
    """

    wanted: Shapes
    cases: list[Case] = field(default_factory=list)
    outline: Shapes = field(default_factory=dict)
    spare: Sequence[str] = ()
    layout: Layout | Way | None = None
    traced: bool = False
    ways: int = 0
    described: bool = False

    @cached_property
    def numbers(self) -> dict[str, str]:
        """Each of the solution's parameters by its name, in gradients' names."""
        names = enumerate(self.wanted)
        return {name: name if self.traced else str(number) for number, name in names}

    def misfit(self) -> tuple[list[str], str]:
        """How the parameters differ from the solution's, as a name in `kinds.OBSERVED`.

        With the names of those whose shape none of the solution's has.
        """
        if not self.outline:
            return [], "no_layers" if self.described and self.wanted else ""
        mine, wanted = Counter(self.outline.values()), Counter(self.wanted.values())
        missing, extra = wanted - mine, mine - wanted
        if missing and extra:
            odd = [name for name, shape in self.outline.items() if shape not in wanted]
            return odd, "other_layer" if odd else ""
        if missing:
            return [], "no_bias" if all(len(shape) == 1 for shape in missing) else "fewer_layers"
        return [], self.too_many() if extra else ""

    def too_many(self) -> str:
        """What there is too many of where no parameter is missing, a name in `kinds.OBSERVED`."""
        extra = Counter(self.outline.values()) - Counter(self.wanted.values())
        vectors = all(len(shape) == 1 for shape in extra)
        biases = _biases(self.outline) > _biases(self.wanted)
        return "extra_bias" if vectors and biases else "more_layers"

    def describe(self, reply: Reply) -> None:
        """Notes what a reply tells of the student's module."""
        self.outline, ways = shapes_in(reply, "parameters"), reply["ways"]
        self.described = True
        whole = self.outline
        learned, used = (shapes_in(reply, which).keys() for which in ("learned", "used"))
        may_leave = whole.keys() - (learned & used)
        parts = (whole.keys(), learned, used, learned & used) if may_leave else ()
        for left in parts:
            part = {name: shape for name, shape in whole.items() if name in left}
            if self._can_hold(part):
                self.outline, self.spare = part, sorted(whole.keys() - used - part.keys())
                break
        traced = self.traced and shapes_in(reply, "roles").keys() == self.wanted.keys()
        self.ways = min(ways, MOST) if traced and isinstance(ways, int) else 0

    def _can_hold(self, shapes: Shapes) -> bool:
        """Whether parameters of these shapes can hold the solution's, biases perhaps left out."""
        pairs = (shapes, self.wanted), (_without_biases(shapes), _without_biases(self.wanted))
        return any(mine == wanted or layouts(mine, wanted) for mine, wanted in pairs)


def _biases(shapes: Shapes) -> int:
    """How many vectors are learned by a layer that learns a matrix, too."""
    layers = {name.rpartition(".")[0] for name, shape in shapes.items() if len(shape) > 1}
    vectors = (name for name, shape in shapes.items() if len(shape) == 1)
    return sum(name.rpartition(".")[0] in layers for name in vectors)


def ways_of(structure: Structure, weights: str) -> Sequence[Layout | Way]:
    """The ways in which the solution's weights fill a module, the most likely first."""
    if structure.ways:
        return [Way(number, bare=weights == UNBIASED) for number in range(structure.ways)]
    mine, wanted = structure.outline, structure.wanted
    if weights == UNBIASED:
        return layouts(_without_biases(mine), _without_biases(wanted))
    return layouts(mine, wanted)


def _without_biases(shapes: Shapes) -> Shapes:
    return {name: shape for name, shape in shapes.items() if "bias" not in name.rpartition(".")[2]}
