"""What may be given to an answer, declared once by its author, and the cases made of that.

Shapes are written in names of sizes, which may stand in sums and products: "N L heads*head_dim".
A size whose name begins with L is a length, one that begins with N or B a number of sequences.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import torch

from autograder.checking.assertions import Probe
from autograder.checking.cases import Case, Sizes
from autograder.checking.inputs import (
    LONE,
    PEAKS,
    Data,
    Floats,
    Input,
    Integers,
    Masks,
    Tokens,
)
from autograder.checking.properties import numbers

EQUAL = 4
LARGEST = 9  # of sizes that change places, or that long sequences have
BATCHES = ("N", "B")


@dataclass(frozen=True)
class Tracing:
    """How roles are found in a module with so many layers that their shapes do not tell.

    They are told from what the layers read and when they answer (`box.inside.tracing`).

    Attributes:
        part: the notebook's own class whose instances count as a layer with several roles.
        reads: the roles of the layers that read its inputs, in the order of these.
        pieces: the size that says into how many parts the rows of a role may be cut.
    """

    part: str
    reads: Sequence[str]
    pieces: str


@dataclass(frozen=True)
class Domain:
    """What may be given to an answer, and what it returns.

    Attributes:
        answer: the name of the function or class.
        sizes: those of the notebook's own example, unsymmetric: no two alike, if the question
            allows it. All other sizes are made from them.
        inputs: in the order of the call; a shape alone stands for `Floats`.
        returns: the shape of each result, in order.
        dictionary: whether the results are the entries of a dictionary. `call`, if there is one,
            then hands back a None for each that is not there.
        part: the name of one of several domains of a question, which stands in the names of its
            checks and expected tensors; empty for the main one.
        about: what is special about a part, for students, like "with a mask".
        arguments: what the class is made with, in names of sizes; None for a function.
        attributes: attributes of the module that hold a size.
        smallest: where a size may be smaller than 1, or must be larger.
        largest: above which a size may not go, in any case.
        multiples: of what a size has to be a multiple.
        derived: sizes that follow from others, so that shapes may name them.
        more: other sizes that are worth a case, by what is special about them.
        only: the cases that are asked, if not all; the example is among them.
        optional: inputs that may be left out, all together; where they are not, they are handed
            in by name.
        named: whether the question names the layers, so that weights go by name alone.
        make: a function of (answers, **sizes) that makes the module in another way, in the box. It
            may return a list that is the caller's beside it.
        call: a function of (subject, **inputs) that calls the answer in another way, in the box.
        lists: inputs that are handed over as a list of their parts along the first axis.
        traced: how roles are found in a module of many layers.
        forbidden: last names of torch functions that the question rules out.
        random: whether a call may draw random numbers; evaluation mode then has its own results.
        sets_mode: whether a call may change the mode of a module.
        clears_gradients: whether a call may clear gradients that lay at parameters before.
        dropout: whether the question asks for dropout. Then the cases are asked in evaluation mode,
            and one of them in training while torch's dropout hands on what it is given.
        unmasked: results for which the answer is given no mask. Where numbers are huge these need
            only be finite: how sums of such numbers are rounded decides between keys.
        differentiable: whether gradients flow to inputs and parameters.
        gathers: whether right results are inputs of the probe, which the answer gets in parts. Only
            then their numbers, handed back, show that it is right.
        long: a length beyond any that the notebook shows.
        extremes: whether zero, large and equal inputs are legal.
        doubles: whether float64 is legal.
    """

    answer: str
    sizes: Sizes
    inputs: Mapping[str, str | Input]
    returns: Mapping[str, str]
    arguments: Sequence[str] | None = None
    dictionary: bool = False
    part: str = ""
    about: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    smallest: Sizes = field(default_factory=dict)
    largest: Sizes = field(default_factory=dict)
    multiples: Sizes = field(default_factory=dict)
    derived: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Sizes] = field(default_factory=dict)
    only: Sequence[str] = ()
    optional: Sequence[str] = ()
    named: bool = False
    make: Probe | None = None
    call: Probe | None = None
    lists: Sequence[str] = ()
    traced: Tracing | None = None
    forbidden: Sequence[str] = ()
    random: bool = False
    sets_mode: bool = False
    clears_gradients: bool = False
    dropout: bool = False
    unmasked: Sequence[str] = ()
    differentiable: bool = True
    gathers: bool = False
    long: int = 130
    extremes: bool = True
    doubles: bool = True
    atol: float = 1e-5
    rtol: float = 1e-4

    @property
    def is_class(self) -> bool:
        return self.arguments is not None or self.make is not None

    @cached_property
    def kinds(self) -> dict[str, Input]:
        """The inputs by name, those that are a shape alone as floats."""
        return {n: Floats(i) if isinstance(i, str) else i for n, i in self.inputs.items()}

    def cases(self) -> list[Case]:
        """Every case of the domain, the notebook's own sizes first."""
        asked = [case for case in self._cases() if not self.only or case.id in self.only]
        return [replace(case, training=self._training(case)) for case in asked]

    def _training(self, case: Case) -> bool:
        """Training mode but for one case; with dropout the other way round."""
        return (case.aspect != "modes") != self.dropout

    def _cases(self) -> Iterator[Case]:
        example, flows = self._bounded(self.sizes), self.differentiable
        yield Case("example", "values", example, gradients=flows, again=True)
        if self.optional:
            left = tuple(self.optional)
            yield Case("bare", "bare", example, gradients=flows, again=True, omitted=left)
            yield Case("bare_other", "bare", self._bounded(self._exchanged()), omitted=left)
            if self._lone:
                single = self._bounded({**self.sizes, **self._lone})
                yield Case("bare_single", "bare", single, omitted=left)
            if self.extremes:
                yield Case("bare_large", "extremes", example, "large", omitted=left)
        yield from self._cases_of_sizes()
        if self.extremes:
            for data in ("zeros", "large", "alike"):
                yield Case(data, "extremes", example, data, gradients=flows and data == "zeros")
            if {Floats, Masks} <= {type(kind) for kind in self.kinds.values()}:
                # layers and norms round what is left of sums of vast numbers
                yield Case("huge", "extremes", example, "huge" if self.is_class else "vast")
        if self.is_class and self.dropout:
            yield Case("training", "modes", example, of="example", gradients=flows)
        elif self.is_class:
            like, flows = ("", False) if self.random else ("example", flows)
            yield Case("evaluation", "modes", example, of=like, gradients=flows)
        if self.doubles:
            yield Case("double", "kind", example, dtype="float64")
        yield Case("strided", "kind", example, of="example", strided=True)
        yield Case("device", "device", example, of="example")

    def _cases_of_sizes(self) -> list[Case]:
        lengths = [name for name in self.sizes if name.startswith("L")]
        others = [name for name in self.sizes if not name.startswith(("L", *BATCHES))]
        made = {
            "other": self._exchanged(),
            "equal": dict.fromkeys(self.sizes, EQUAL),
            "equal_lengths": {**self.sizes, **dict.fromkeys(lengths, 6)},
            "equal_widths": {**self.sizes, **dict.fromkeys(others, 6)},
            "ones": {name: self.smallest.get(name, 1) for name in self.sizes},
            "single": {**self.sizes, **self._lone},
            "long": {**self._small, **self._lone, **self._long},
            **{name: {**self.sizes, **sizes} for name, sizes in self.more.items()},
        }
        found, seen = [], [self._bounded(self.sizes)]
        for name, sizes in made.items():
            bounded = self._bounded(sizes)
            if bounded not in seen:
                seen.append(bounded)
                gradients = self.differentiable and name in ("other", "equal")
                found.append(Case(name, "sizes", bounded, gradients=gradients))
        return found

    @property
    def _lone(self) -> dict[str, int]:
        """The numbers of sequences of a batch of one."""
        return {name: 1 for name in self.sizes if name.startswith(BATCHES)}

    @property
    def _long(self) -> dict[str, int]:
        """Lengths of long sequences, no two alike."""
        lengths = [name for name in self.sizes if name.startswith("L")]
        return {name: self.long + 7 * number for number, name in enumerate(lengths)}

    @property
    def _small(self) -> dict[str, int]:
        return {name: min(size, LARGEST) for name, size in self.sizes.items()}

    def _exchanged(self) -> dict[str, int]:
        """Large sizes where the example has small ones, and none of them as it was."""
        ranked = sorted(self.sizes, key=lambda name: self.sizes[name])
        values = sorted(self._small.values(), reverse=True)
        return {name: value + 1 for name, value in zip(ranked, values, strict=True)}

    def _bounded(self, sizes: Sizes) -> dict[str, int]:
        raised = {name: max(size, self.smallest.get(name, 1)) for name, size in sizes.items()}
        bounded = {name: min(size, self.largest.get(name, size)) for name, size in raised.items()}
        whole = {name: n + -n % self.multiples.get(name, 1) for name, n in bounded.items()}
        derived = {name: _evaluated(rule, whole) for name, rule in self.derived.items()}
        return {**whole, **derived}

    def told(self, sizes: Sizes) -> dict[str, int]:
        """The sizes that a student knows by their names."""
        specs = [*self.returns.values(), *(kind.shape for kind in self.kinds.values())]
        known = {part for spec in [*specs, *(self.arguments or ())] for part in spec.split()}
        return {name: size for name, size in sizes.items() if name in known}

    def shape(self, spec: str, sizes: Sizes) -> list[int]:
        """The numbers that a shape in names has at these sizes."""
        return [_evaluated(part, sizes) for part in spec.split()]

    def only_finite(self, case: Case) -> Sequence[str]:
        """The results of a case that need only be finite."""
        return self.unmasked if case.data in LONE else ()

    def values_of_arguments(self, sizes: Sizes) -> list[int]:
        """What the class is made with at these sizes."""
        return [_evaluated(part, sizes) for part in self.arguments or ()]

    def tensors(self, case: Case) -> dict[str, torch.Tensor]:
        """The inputs of a case by name, its directions, and other inputs of the same module.

        Every submission is given the same ones: whoever asks must leave them as they are.
        """
        key = case.id, case.source, case.again
        if key not in self._made:
            self._made[key] = self._made_for(case)
        return self._made[key]

    @cached_property
    def _made(self) -> dict[tuple[str, str, bool], dict[str, torch.Tensor]]:
        return {}

    def _made_for(self, case: Case) -> dict[str, torch.Tensor]:
        made = self._inputs(case.sizes, case.data, case.source, case.source)
        for name, spec in self.returns.items():
            key = f"{case.source}/direction/{name}"
            made[key] = numbers(_seed(self.answer, key), *self.shape(spec, case.sizes))
        if case.again:
            made |= self._inputs(self._other_sizes(case.sizes), "ordinary", f"{case.source}/other")
        return made

    def _other_sizes(self, sizes: Sizes) -> dict[str, int]:
        """Fewer and shorter sequences, which the same module takes as well."""
        fewer = {n: v - 1 if n.startswith(("L", *BATCHES)) else v for n, v in sizes.items()}
        return self._bounded({name: fewer[name] for name in self.sizes})

    def _inputs(
        self, sizes: Sizes, data: Data, key: str, seeded: str = ""
    ) -> dict[str, torch.Tensor]:
        made = {}
        for name, kind in self.kinds.items():
            shape, seed = self.shape(kind.shape, sizes), _seed(self.answer, seeded or key, name)
            if isinstance(kind, Integers | Tokens):
                high = kind.high if isinstance(kind.high, int) else _evaluated(kind.high, sizes)
                made[f"{key}/{name}"] = kind.made(seed, shape, data, high)
            else:
                made[f"{key}/{name}"] = kind.made(seed, shape, data)
        return made

    def role(self, case: Case, name: str, shape: Sequence[int]) -> torch.Tensor:
        """The numbers that a parameter of the solution has in a case, the same for everybody."""
        key = case.source, name, tuple(shape)
        if key not in self._roles:
            self._roles[key] = self._role(case, name, shape)
        return self._roles[key]

    @cached_property
    def _roles(self) -> dict[tuple[str, str, tuple[int, ...]], torch.Tensor]:
        return {}

    def _role(self, case: Case, name: str, shape: Sequence[int]) -> torch.Tensor:
        seed = _seed(self.answer, case.source, "role", name)
        scale = shape[-1] ** -0.5 if len(shape) > 1 else 0.5
        weights = numbers(seed, *shape, scale=scale)
        return (weights / scale).round().clamp(-1, 1) if case.data in PEAKS else weights

    def described(self) -> dict[str, Any]:
        """The part of the plan that all cases share."""
        return {
            "answer": self.answer,
            "arguments": None if self.arguments is None else list(self.arguments),
            "attributes": list(self.attributes),
            "inputs": list(self.inputs),
            "returns": list(self.returns),
            "dictionary": self.dictionary and self.call is None,
            "lists": list(self.lists),
            "forbidden": list(self.forbidden),
            "random": self.random,
            "sets_mode": self.sets_mode,
            "clears_gradients": self.clears_gradients,
            "optional": list(self.optional),
            "dropout": self.dropout,
            "make": _source(self.make),
            "call": _source(self.call),
            "traced": None if self.traced is None else vars(self.traced),
        }


def _evaluated(expression: str, sizes: Sizes) -> int:
    """A sum or product of sizes, as the author of a check wrote it."""
    if expression in sizes:
        return sizes[expression]
    return int(eval(expression, {"__builtins__": {}}, dict(sizes)))


def _source(part: Probe | None) -> dict[str, str] | None:
    return None if part is None else {"source": part.source, "name": part.name}


def _seed(*words: str) -> int:
    return int.from_bytes(hashlib.sha256("/".join(words).encode()).digest()[:4])
