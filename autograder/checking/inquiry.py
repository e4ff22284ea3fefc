"""Asking an answer in all cases of its domain, modules with the solution's weights in them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from autograder.checking.asking import Reply, Student
from autograder.checking.battery_replies import facts_in, shapes_in
from autograder.checking.cases import Case
from autograder.checking.comparing import comparisons
from autograder.checking.domain import Domain
from autograder.checking.expected import Expected, Shapes
from autograder.checking.failures import CheckFailure
from autograder.checking.kept import ReplyTensors
from autograder.checking.layouts import Layout, Place
from autograder.checking.probing import Probe
from autograder.checking.requests import described, portions, weights_in
from autograder.checking.structures import (
    ALIKE,
    LAID,
    SEEDED,
    UNBIASED,
    Structure,
    Way,
    ways_of,
)
from autograder.errors import UsageError
from autograder.results import battery_sentences
from autograder.results.plain import one_line


def examined(answers: Any, plan: str, **tensors: Any) -> dict[str, Any]:
    from autograder.box.inside.examination import examine

    return examine(answers, plan, tensors)


def outlined(answers: Any, plan: str, **tensors: Any) -> dict[str, Any]:
    from autograder.box.inside.examination import outline

    return outline(answers, plan, tensors)


EXAMINED, OUTLINED = Probe(examined, silent=True), Probe(outlined, silent=True)


class Inquiry:
    """One answer, asked in all cases.

    Attributes:
        told: facts by case.
        found: results and gradients by `case/name`.
        weights: how a module got its weights.
    """

    def __init__(
        self, domain: Domain, cases: Sequence[Case], student: Student, expected: Expected
    ) -> None:
        self._domain = domain
        self._cases = cases
        self._student = student
        self._expected = expected
        self.told: dict[str, dict[str, Any]] = {case.id: {} for case in cases}
        self.found: dict[str, torch.Tensor] = {}
        self.weights = LAID
        self._structures = [Structure({}, list(cases))]
        self._kept = ReplyTensors(domain)
        self._tensors = {k: t for case in cases for k, t in domain.made.tensors(case).items()}

    def ask(self) -> None:
        """Asks, once.

        Raises:
            CheckFailure: the answer broke off, or its layers are not those of the question.
        """
        if self._domain.is_class:
            self._outline()
            self._lay()
        self.told, self.found = self._answers()
        if self._expected.recording:
            self._expect_no_chance()
            if self._domain.is_class:
                self._record_telling()

    def _expect_no_chance(self) -> None:
        """Refuses to store what the solution would not return again, if no aspect looks at that.

        Raises:
            UsageError: it depends on chance, or on an earlier call.
        """
        first = self._cases[0]
        by_chance = self._domain.random or self._domain.dropout
        if self.told[first.id].get("forgets") and not first.again and not by_chance:
            raise UsageError(
                f"`{self._domain.answer}` returns something else when it is called once more with "
                "the same inputs, so right answers would differ from what is stored: let the "
                "solution depend on its inputs alone, or write random=True in the domain if it "
                "shall draw random numbers"
            )

    def structure(self, case: Case) -> Structure:
        return next(s for s in self._structures if any(case.id == one.id for one in s.cases))

    @property
    def outline(self) -> Shapes:
        return self._structures[0].outline

    def misfit(self, case: Case) -> tuple[str, str]:
        """What is wrong with the layers in a case, and its name in `kinds.OBSERVED`."""
        structure = self.structure(case)
        said = battery_sentences.layers_do_not_fit(self.layers(case))
        if self.weights == UNBIASED:
            more = len(structure.outline) > len(structure.wanted)
            return said, structure.too_many() if more else "no_bias"
        names, observed = structure.misfit()
        return f"{said} {battery_sentences.no_such_layer(names)}" if names else said, observed

    def layers(self, case: Case) -> int:
        """How many layers the question asks for in a case."""
        return len({name.rpartition(".")[0] for name in self.structure(case).wanted})

    def _outline(self) -> None:
        """The parameters of both modules; fetches the solution's weights for all cases."""
        try:
            first = self._asked(self._cases[0])
        except CheckFailure as failure:
            if failure.status == "error":
                self._ask_alike()
            raise
        structures: dict[tuple[str, ...], Structure] = {}
        for case in self._cases:
            shapes = self._expected.shapes_of(case.source, partial(self._roles, case))
            fresh = Structure(shapes, traced=self._domain.traced is not None)
            structure = structures.setdefault(tuple(shapes), fresh)
            structure.cases.append(case)
            for name, shape in shapes.items():
                key = f"{case.source}/role/{structure.numbers[name]}"
                self._tensors[key] = self._domain.made.role(case, name, shape)
        self._structures = list(structures.values())
        self._structures[0].describe(first)
        for other in self._structures[1:]:
            with suppress(CheckFailure):  # what is raised there is told of its cases
                other.describe(self._asked(other.cases[0]))

    def _asked(self, case: Case) -> Reply:
        """What is told of the parameters of the one who is asked."""
        return self._student.run(OUTLINED, **self._request([case], self._domain.made.tensors(case)))

    def _roles(self, case: Case) -> Shapes:
        """Name and shape of the solution's parameters; the solution is asked."""
        return shapes_in(self._asked(case), "roles" if self._domain.traced else "parameters")

    def roles(self, case: Case) -> Iterator[tuple[str, str]]:
        """Each role by its key in gradients, and what a student calls the parameter it lies in."""
        structure = self.structure(case)
        if not isinstance(structure.layout, Way):
            for parameter, place in (structure.layout or {}).items():
                called = one_line(parameter)
                yield from ((structure.numbers[role], called) for role in place.roles)
            return
        told = self.told[self._cases[0].id].get("places")
        places = told if isinstance(told, dict) else {}
        for role in structure.wanted:
            yield role, one_line(str(places.get(role, "every parameter")))

    def _lay(self) -> None:
        """Finds a place for the solution's weights, or for those of them that are no biases."""
        first = self._structures[0]
        if not first.wanted:
            return
        if self._expected.recording:
            self._record_other_weights()
        if not ways_of(first, LAID):
            self.weights = UNBIASED if ways_of(first, UNBIASED) else SEEDED
        if self.weights == SEEDED:
            self.told, self.found = self._answers()
            if self._domain.named or not self._agrees(self.found, self._cases[0]):
                self._ask_alike()
                said, observed = self.misfit(self._cases[0])
                raise CheckFailure(said, observed=observed)
            return
        for structure in self._structures:
            self._choose(structure)

    def _ask_alike(self) -> None:
        """Asks again with weights that follow from their shapes alone: what tells this mistake from
        others, whatever the order in which layers are made."""
        self.weights = ALIKE
        with suppress(CheckFailure):
            self.told, self.found = self._answers()

    def _record_other_weights(self) -> None:
        """Stores what the solution answers without biases, and with what its seed gives it."""
        atol = {case.id: self._domain.atol_in(case) for case in self._cases}
        for weights in (UNBIASED, SEEDED):
            for structure in self._structures:
                ways = [] if weights == SEEDED else ways_of(structure, weights)
                structure.layout = ways[0] if ways else None
            for name, tensor in self._answers()[1].items():
                case, _, what = name.partition("/")
                key = f"{weights}{case}.{what.replace('/', '.')}"
                self._expected.match_one(key, what, tensor, atol=atol[case], rtol=self._domain.rtol)

    def _record_telling(self) -> None:
        """Stores what layouts are told apart by, also where no aspect compares it."""
        for structure in self._structures:
            for case in _telling(structure):
                self._agrees(self.found, case)

    def _choose(self, structure: Structure) -> None:
        """The first layout in which the first case is right; else the one that is so in most."""
        if self._domain.named and structure.outline == structure.wanted:
            structure.layout = {name: Place((name,)) for name in structure.wanted}
            return
        ways = ways_of(structure, self.weights)[: 1 if self._domain.named else None]
        asked = _telling(structure)
        nearest: tuple[int, Layout | Way] = 0, [*ways, {}][0]
        for way in ways if len(ways) > 1 else ():
            structure.layout = way
            found = self._answers(asked)[1]
            if self._agrees(found, asked[0]):
                return
            right = sum(self._right(found, case) for case in asked)
            if right > nearest[0]:
                nearest = right, way
        structure.layout = nearest[1]

    def _agrees(self, found: Mapping[str, torch.Tensor], case: Case) -> bool:
        """Whether a case has the right results."""
        return all(self._is_right(found, case, name) for name in self._domain.returns)

    def _right(self, found: Mapping[str, torch.Tensor], case: Case) -> int:
        """How many results of a case are right."""
        with comparisons.left_alone():
            return sum(self._is_right(found, case, name) for name in self._domain.returns)

    def _is_right(self, found: Mapping[str, torch.Tensor], case: Case, name: str) -> bool:
        expected, tensor = self._expected, found.get(f"{case.id}/{name}")
        key = f"{self.weights}{case.source}.{name}"
        if tensor is None or not (expected.recording or expected.stored(key) is not None):
            return False
        atol, rtol = self._domain.atol_in(case), self._domain.rtol
        try:
            expected.match_one(key, name, tensor, atol=atol, rtol=rtol)
        except CheckFailure:
            return False
        return True

    def _answers(
        self, cases: Sequence[Case] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, torch.Tensor]]:
        """Facts and tensors of some cases, or of all."""
        told: dict[str, dict[str, Any]] = {}
        found: dict[str, torch.Tensor] = {}
        for portion in portions(self._cases if cases is None else cases, self._tensors):
            wanted = {case.source for case in portion}
            tensors = {k: t for k, t in self._tensors.items() if k.partition("/")[0] in wanted}
            reply = self._student.run(EXAMINED, **self._request(portion, tensors))
            told |= facts_in(reply)
            for case in portion:
                found |= self._kept.of(reply, case, self.structure(case))
        return {**{case.id: {} for case in self._cases}, **told}, found

    def _request(
        self, cases: Sequence[Case], tensors: Mapping[str, torch.Tensor]
    ) -> dict[str, Any]:
        recording, first = self._expected.recording, self._cases[0]
        asked = [
            {
                **described(self._domain, case),
                **weights_in(self.structure(case), self.weights),
                "again": case.again or (recording and case.id == first.id),
                "slopes": recording and case.data == "ordinary" and not case.shared,
            }
            for case in cases
        ]
        return {"plan": json.dumps({**self._domain.described(), "cases": asked}), **tensors}


def _telling(structure: Structure) -> list[Case]:
    """The cases by which the layouts of a structure are told apart: by their results alone."""
    first, *others = structure.cases
    telling = [first, *(one for one in others if one.omitted and one.aspect != "device")]
    return [replace(case, gradients=False, again=False) for case in telling]
