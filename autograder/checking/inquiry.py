"""Asking an answer in all cases of its domain, modules with the solution's weights in them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import torch

from autograder.box.tensors import MAX_TENSORS
from autograder.checking.assertions import CheckFailure, Probe, Reply, Student
from autograder.checking.domain import Case, Domain
from autograder.checking.expected import Expected, Shapes
from autograder.checking.layouts import Layout, layouts
from autograder.results import sentences

LAID, UNBIASED, SEEDED = "", "unbiased.", "seeded."
"""How a module got its weights: as the solution's, but without biases, or by the seed alone. What
the solution answers is stored for each, under names that begin so."""


def examined(answers: Any, plan: str, **tensors: Any) -> dict[str, Any]:
    from autograder.box.inside.examination import examine

    return examine(answers, plan, tensors)


def outlined(answers: Any, plan: str, **tensors: Any) -> dict[str, Any]:
    from autograder.box.inside.examination import parameters_of

    return {"parameters": parameters_of(answers, plan, tensors)}


EXAMINED, OUTLINED = Probe(examined, silent=True), Probe(outlined, silent=True)


class Inquiry:
    """One answer, asked in all cases.

    Attributes:
        told: facts by case.
        found: results and gradients by `case/name`.
        layout: where the solution's weights lie in a module; None where none do.
        weights: how a module got its weights.
        numbers: each parameter of the solution's module by its name, in gradients' names.
        outline: name and shape of the parameters of the student's module.
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
        self.layout: Layout | None = None
        self.weights = LAID
        self.numbers: dict[str, str] = {}
        self.outline: Shapes = {}
        self._tensors = {k: t for case in cases for k, t in domain.tensors(case).items()}

    def ask(self) -> None:
        """Asks, once.

        Raises:
            CheckFailure: the answer broke off, or its layers are not those of the question.
        """
        if self._domain.is_class:
            self._lay(self._outline())
        self.told, self.found = self._answers(self.layout)

    def _outline(self) -> Shapes:
        """The parameters of the solution's module in the first case; fetches weights for all."""
        first = self._cases[0]
        self.outline = self._parameters(first)
        for case in self._cases:
            shapes = self._expected.shapes_of(case.source, partial(self._parameters, case))
            for number, (name, shape) in enumerate(shapes.items()):
                key = f"{case.source}/role/{number}"
                self._tensors[key] = self._domain.role(case, name, shape)
            if case is first:
                self.numbers = {name: str(number) for number, name in enumerate(shapes)}
                wanted = shapes
        return wanted

    def _parameters(self, case: Case) -> Shapes:
        """Name and shape of the parameters of the one who is asked."""
        reply = self._student.run(OUTLINED, **self._request([case], self._domain.tensors(case)))
        return {
            str(name): tuple(int(n) for n in shape) for name, shape in parsed(reply, "parameters")
        }

    def _lay(self, wanted: Shapes) -> None:
        """Finds a place for the solution's weights, or for those of them that are no biases."""
        if not wanted:
            return
        if self._expected.recording:
            self._record_other_weights(wanted)
        if ways := layouts(self.outline, wanted):
            self.layout = self._chosen(ways)
        elif ways := layouts(_without_biases(self.outline), _without_biases(wanted)):
            self.weights = UNBIASED
            self.layout = self._chosen(ways)
        else:
            self.weights = SEEDED
            self.told, self.found = self._answers(None)
            if not self._agrees(self.found):
                raise CheckFailure(sentences.layers_do_not_fit(self.layers))

    @property
    def layers(self) -> int:
        """How many layers the question asks for."""
        return len({name.rpartition(".")[0] for name in self.numbers})

    def _record_other_weights(self, wanted: Shapes) -> None:
        """Stores what the solution answers without biases, and with what its seed gives it."""
        bare = layouts(_without_biases(self.outline), _without_biases(wanted))
        for weights, layout in ((UNBIASED, bare[0] if bare else None), (SEEDED, None)):
            for name, tensor in self._answers(layout)[1].items():
                case, _, what = name.partition("/")
                self._expected.match_one(f"{weights}{case}.{what.replace('/', '.')}", what, tensor)

    def _chosen(self, ways: Sequence[Layout]) -> Layout:
        """The first layout in which the first case is right; else the likeliest."""
        for way in ways if len(ways) > 1 else ():
            if self._agrees(self._answers(way, self._cases[:1])[1]):
                return way
        return ways[0]

    def _agrees(self, found: Mapping[str, torch.Tensor]) -> bool:
        """Whether the first case has the right results."""
        first, domain = self._cases[0], self._domain
        try:
            for name in domain.returns:
                key, tensor = f"{self.weights}{first.id}.{name}", found.get(f"{first.id}/{name}")
                if tensor is None:
                    return False
                self._expected.match_one(key, name, tensor, atol=domain.atol, rtol=domain.rtol)
        except CheckFailure:
            return False
        return True

    def _answers(
        self, layout: Layout | None, cases: Sequence[Case] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, torch.Tensor]]:
        """Facts and tensors of some cases, or of all."""
        told: dict[str, dict[str, Any]] = {}
        found: dict[str, torch.Tensor] = {}
        for portion in self._portions(self._cases if cases is None else cases):
            wanted = {case.source for case in portion}
            tensors = {k: t for k, t in self._tensors.items() if k.partition("/")[0] in wanted}
            reply = self._student.run(EXAMINED, **self._request(portion, tensors, layout))
            told |= _facts(reply)
            found |= {name: reply.tensor(name) for name in reply if name != "told"}
        return {**{case.id: {} for case in self._cases}, **told}, found

    def _portions(self, cases: Sequence[Case]) -> Iterator[list[Case]]:
        """The cases in portions whose tensors fit into one message, and their replies too."""
        portion: list[Case] = []
        for case in cases:
            wanted = {one.source for one in [*portion, case]}
            count = sum(name.partition("/")[0] in wanted for name in self._tensors)
            if portion and count > MAX_TENSORS // 2:
                yield portion
                portion = []
            portion.append(case)
        yield portion

    def _request(
        self,
        cases: Sequence[Case],
        tensors: Mapping[str, torch.Tensor],
        layout: Layout | None = None,
    ) -> dict[str, Any]:
        weights: dict[str, Any] = {}
        if layout is not None:
            laid = {name: place.as_dict(self.numbers) for name, place in layout.items()}
            weights = {"layout": laid, "zero": sorted(self.outline.keys() - layout.keys())}
        described = [{**self._described(case), **weights} for case in cases]
        return {"plan": json.dumps({**self._domain.described(), "cases": described}), **tensors}

    def _described(self, case: Case) -> dict[str, Any]:
        return {
            "id": case.id,
            "data": case.source,
            "seed": int.from_bytes(case.source.encode()[:3]),
            "sizes": dict(case.sizes),
            "arguments": self._domain.values_of_arguments(case.sizes),
            "dtype": case.dtype,
            "training": case.training,
            "strided": case.strided,
            "gradients": case.gradients,
            "again": case.again,
            "elsewhere": case.aspect == "device",
        }


def parsed(reply: Reply, name: str) -> Any:
    """The JSON text `name` of a reply."""
    text = reply[name]
    try:
        return json.loads(text) if isinstance(text, str) else None
    except ValueError as error:
        raise CheckFailure(sentences.missing_value(name), "bad_reply") from error


def _facts(reply: Reply) -> dict[str, dict[str, Any]]:
    told = parsed(reply, "told")
    if not isinstance(told, dict) or not all(isinstance(v, dict) for v in told.values()):
        raise CheckFailure(sentences.missing_value("told"), "bad_reply")
    return told


def _without_biases(shapes: Shapes) -> Shapes:
    return {name: shape for name, shape in shapes.items() if "bias" not in name.rpartition(".")[2]}
