"""What may be given to an answer, declared once by its author, and the cases made of that.

Shapes are written in names of sizes, which may stand in sums and products: "N L heads*head_dim".
A size whose name begins with L or `length` is a length, one that begins with N or B a number of
sequences.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from autograder.box.probes import Scalar
from autograder.checking.cases import Case, Sizes
from autograder.checking.choosing import chosen
from autograder.checking.comparing import ATOL, RTOL
from autograder.checking.expressions import evaluated, names_in
from autograder.checking.faults import faults
from autograder.checking.inputs import DISTANCE, LONE, Floats, Input
from autograder.checking.making import Maker
from autograder.checking.probing import Probe


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
        arguments: what the class is made with, in names of sizes and settings; None for a function.
        settings: what is handed in by name beside the inputs and is no tensor: its values, that of
            the notebook's own example first, or what it is in names of sizes. Those among the
            `arguments` are handed to the class instead.
        attributes: attributes of the module that hold a size.
        smallest: where a size may be smaller than 1, or must be larger.
        largest: above which a size may not go, in any case.
        multiples: of what a size has to be a multiple.
        derived: sizes that follow from others, so that shapes may name them.
        more: other sizes that are worth a case, by what is special about them.
        only: the cases that are asked, if not all; the example is among them. Half precision is
            where float64 is.
        without: cases that are not asked, such as one in which the right answer is infinite.
        optional: inputs and settings that may be left out, all together; where they are not, they
            are handed in by name.
        named: whether the question names the layers, so that weights go by name alone.
        make: a function of (answers, **sizes) that makes the module in another way, in the box. It
            may return a list that is the caller's beside it.
        call: a function of (subject, **inputs) that calls the answer in another way, in the box.
        lists: inputs that are handed over as a list of their parts along the first axis.
        traced: how roles are found in a module of many layers.
        forbidden: how the last names of functions begin that the question rules out, in torch and
            in other libraries.
        ready_made: what names of functions and classes of libraries hold, in small letters, that
            the question rules out, whatever else they are called: `"attention"`.
        random: whether a call may draw random numbers; evaluation mode then has its own results.
        sets_mode: the mode, "training" or "evaluation", that a call may leave modules in, whatever
            theirs was before.
        clears_gradients: whether a call may clear gradients that lay at parameters before.
        dropout: whether the question asks for dropout. Then the cases are asked in evaluation mode,
            and one of them in training while torch's dropout hands on what it is given.
        unmasked: results for which the answer is given no mask. Where numbers are huge these need
            only be finite: how sums of such numbers are rounded decides between keys.
        differentiable: whether gradients flow to inputs and parameters.
        kinks: whether results have several derivatives where inputs are zero or equal, as a
            largest number has, so that right answers differ there.
        gathers: whether right results are inputs of the probe, which the answer gets in parts. Only
            then their numbers, handed back, show that it is right.
        plain: whether results are single booleans or counts. By themselves these do not show that
            the answer is right; then `everywhere` does, if right ones differ from case to case.
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
    settings: Mapping[str, str | Sequence[Scalar]] = field(default_factory=dict)
    part: str = ""
    about: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    smallest: Sizes = field(default_factory=dict)
    largest: Sizes = field(default_factory=dict)
    multiples: Sizes = field(default_factory=dict)
    derived: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Sizes] = field(default_factory=dict)
    only: Sequence[str] = ()
    without: Sequence[str] = ()
    optional: Sequence[str] = ()
    named: bool = False
    make: Probe | None = None
    call: Probe | None = None
    lists: Sequence[str] = ()
    traced: Tracing | None = None
    forbidden: Sequence[str] = ()
    ready_made: Sequence[str] = ()
    random: bool = False
    sets_mode: Literal["", "training", "evaluation"] = ""
    clears_gradients: bool = False
    dropout: bool = False
    unmasked: Sequence[str] = ()
    differentiable: bool = True
    kinks: bool = False
    gathers: bool = False
    plain: bool = False
    long: int = 130
    extremes: bool = True
    doubles: bool = True
    atol: float = ATOL
    rtol: float = RTOL

    def __post_init__(self) -> None:
        if fault := next(faults(self), None):
            raise ValueError(f"the domain of `{self.answer}` is wrong: {fault}")

    @property
    def is_class(self) -> bool:
        return self.arguments is not None or self.make is not None

    @property
    def rules_out(self) -> bool:
        """Whether there are functions that an answer may not call."""
        return bool(self.forbidden or self.ready_made)

    @cached_property
    def kinds(self) -> dict[str, Input]:
        """The inputs by name, those that are a shape alone as floats."""
        return {n: Floats(i) if isinstance(i, str) else i for n, i in self.inputs.items()}

    def cases(self) -> list[Case]:
        """Every case of the domain, the notebook's own sizes first (see `choosing`)."""
        only = {*self.only, *(("half",) if "double" in self.only else ())}
        asked = [
            case
            for case in chosen(self)
            if (not only or case.id in only) and not {case.id, case.source} & {*self.without}
        ]
        turns = {aspect: itertools.count(1) for aspect in {case.aspect for case in asked}}
        return [
            replace(
                case,
                training=self._training(case),
                chosen=self._chosen(case, next(turns[case.aspect])),
            )
            for case in asked
        ]

    def _chosen(self, case: Case, turn: int) -> Mapping[str, int]:
        """The values of the settings: those of the case whose results it shares, else in turns.

        Each aspect has turns of its own, and begins with the second value.
        """
        if case.chosen or case.id == "example" or (case.of and case.aspect != "device"):
            return case.chosen
        counts = {n: 1 if isinstance(v, str) else len(v) for n, v in self.settings.items()}
        return {name: turn % count for name, count in counts.items()}

    def _training(self, case: Case) -> bool:
        """Training mode but for one case; with dropout the other way round."""
        return (case.aspect != "modes") != self.dropout

    def bounded(self, sizes: Sizes) -> dict[str, int]:
        raised = {name: max(size, self.smallest.get(name, 1)) for name, size in sizes.items()}
        bounded = {name: min(size, self.largest.get(name, size)) for name, size in raised.items()}
        whole = {name: n + -n % self.multiples.get(name, 1) for name, n in bounded.items()}
        derived = {name: evaluated(rule, whole) for name, rule in self.derived.items()}
        return {**whole, **derived}

    @cached_property
    def sizes_of_tensors(self) -> frozenset[str]:
        """The sizes that inputs and results have."""
        return frozenset(names_in(" ".join(self._shapes))) & self.sizes.keys()

    @property
    def _shapes(self) -> list[str]:
        """What is said of the shapes of results and inputs."""
        return [*self.returns.values(), *(kind.shape for kind in self.kinds.values())]

    @cached_property
    def sizes_of_module(self) -> frozenset[str]:
        """The sizes that a module is made with; none of a function."""
        named = self.make.takes if self.make else names_in(" ".join(self.arguments or ()))
        rules = [rule for name, rule in self.derived.items() if name in named]
        return frozenset({*named, *names_in(" ".join(rules))})

    def told(self, case: Case) -> dict[str, Any]:
        """The sizes and settings of a case that a student knows by their names."""
        known = {part for spec in [*self._shapes, *(self.arguments or ())] for part in spec.split()}
        sizes = {name: size for name, size in case.sizes.items() if name in known}
        return {**sizes, **self.settings_of(case)}

    def shape(self, spec: str, sizes: Sizes) -> list[int]:
        """The numbers that a shape in names has at these sizes."""
        return [evaluated(part, sizes) for part in spec.split()]

    def only_finite(self, case: Case) -> Sequence[str]:
        """The results of a case that need only be finite."""
        return self.unmasked if case.data in LONE else ()

    def atol_in(self, case: Case) -> float:
        """How far a result may be from the right one in a case, where that is near zero."""
        return self.atol * (DISTANCE if case.data == "distant" else 1)

    @cached_property
    def other_settings(self) -> dict[str, dict[str, int]]:
        """The values that settings may have beside their first, by the case that takes them."""
        return {
            f"with value {number + 1} of {name}": {name: number}
            for name, values in self.settings.items()
            for number in range(1, 0 if isinstance(values, str) else len(values))
        }

    def settings_of(self, case: Case) -> dict[str, Scalar]:
        """The settings that are not left out in a case."""
        return {
            name: evaluated(values, case.sizes)
            if isinstance(values, str)
            else values[case.chosen.get(name, 0)]
            for name, values in self.settings.items()
            if name not in case.omitted
        }

    def arguments_of(self, case: Case) -> list[Scalar]:
        """What the class is made with in a case."""
        settings = self.settings_of(case)
        return [
            settings[part] if part in settings else evaluated(part, case.sizes)
            for part in self.arguments or ()
        ]

    @cached_property
    def made(self) -> Maker:
        """The tensors of its cases."""
        return Maker(self)

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
            "ready_made": list(self.ready_made),
            "random": self.random,
            "sets_mode": self.sets_mode,
            "clears_gradients": self.clears_gradients,
            "optional": list(self.optional),
            "dropout": self.dropout,
            "make": _source(self.make),
            "call": _source(self.call),
            "traced": None if self.traced is None else vars(self.traced),
        }


def _source(part: Probe | None) -> dict[str, str] | None:
    return None if part is None else {"source": part.source, "name": part.name}
