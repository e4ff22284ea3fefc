"""What came of asking an answer in all cases of its domain, judged aspect by aspect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from autograder.checking.assertions import CheckFailure, Student
from autograder.checking.cases import Aspect, Case
from autograder.checking.comparing import observed_shape
from autograder.checking.domain import Domain
from autograder.checking.expected import Expected
from autograder.checking.inputs import DISTANCE
from autograder.checking.inquiry import Inquiry
from autograder.checking.signature import signature
from autograder.checking.structures import LAID, SEEDED
from autograder.results import battery_sentences, sentences

GRADIENT_ATOL = 1e-4
GRADIENT_RTOL = 1e-3
ALL_SIZES: tuple[Aspect, ...] = ("values", "bare", "sizes")
CASES_OF: dict[str, tuple[Aspect, ...]] = {
    "values": ("values",),
    "bare": ("bare",),
    "everywhere": (*ALL_SIZES, "extremes", "modes"),
    "sizes": ("sizes",),
    "extremes": ("extremes",),
    "gradients": (*ALL_SIZES, "extremes"),
    "modes": ("modes",),
    "kind": ("kind", "device"),
    "way": ALL_SIZES,
    "parts": ALL_SIZES,
    "care": (*ALL_SIZES, "modes"),
}
"""The cases that each aspect of a battery looks at."""
OTHERS = {"float64": (torch.float32,), "bfloat16": (torch.float32, torch.float64)}
"""What has lost the dtype of inputs and parameters; a mask, or ids, need not have it."""
IN_PLACE = "modified by an inplace operation"
"""What autograd says of a tensor that was overwritten."""


class Examination:
    """What came of asking one answer in all cases, aspect by aspect."""

    def __init__(
        self, domain: Domain, cases: Sequence[Case], student: Student, expected: Expected
    ) -> None:
        self._domain = domain
        self._cases = cases
        self._student = student
        self._expected = expected
        self._failure: CheckFailure | None = None
        self._inquiry = Inquiry(domain, cases, student, expected)
        try:
            self._inquiry.ask()
        except CheckFailure as failure:
            self._failure = failure

    def _of(self, aspect: str) -> Iterator[Case]:
        """The cases an aspect looks at; nothing may have stood in the way of them all."""
        if self._failure is not None:
            if self._failure.status == "wrong" and self._failure.observed != "other_layer":
                self._expect_not_raised(self._cases[0])  # as for want of a layer
            raise self._failure
        return (case for case in self._cases if case.aspect in CASES_OF[aspect])

    def _fact(self, case: Case, name: str) -> Any:
        return self._inquiry.told[case.id].get(name)

    def _expect_not_raised(self, case: Case) -> None:
        error = self._fact(case, "error")
        if isinstance(error, dict):
            if error.get("name") == "MissingName":
                said = self._student.why_missing(str(error.get("text")))
                raise CheckFailure(said, "error")
            where = (
                ""
                if case.id == "example"
                else battery_sentences.in_case(case.id, self._domain.told(case.sizes))
            )
            raise CheckFailure(battery_sentences.raised_in(where, error), "error")

    def _expect_ran(self, case: Case) -> None:
        self._expect_not_raised(case)
        if self._fact(case, "unfit"):
            raise self._other_layers(case)
        if self._fact(case, "count"):
            names = list(self._domain.returns)
            if self._domain.dictionary:
                raise CheckFailure(battery_sentences.entries(names), observed="other_results")
            many = (
                battery_sentences.results_in_all
                if self._domain.call
                else battery_sentences.number_of_results
            )
            raise CheckFailure(many(names), observed="other_results")

    def _other_layers(self, case: Case) -> CheckFailure:
        said, observed = self._inquiry.misfit(case)
        return CheckFailure(said, observed=observed)

    def _where(self, case: Case) -> str:
        return battery_sentences.in_case(case.id, self._domain.told(case.sizes))

    def _tensor(self, case: Case, name: str) -> torch.Tensor:
        found = self._inquiry.found.get(f"{case.id}/{name}")
        if found is None:
            kind = (self._fact(case, "kinds") or {}).get(name, "NoneType")
            names = list(self._domain.returns)
            if kind == "NoneType" and self._domain.dictionary:
                raise CheckFailure(battery_sentences.entries(names))
            if name in (self._fact(case, "absent") or []):
                raise CheckFailure(battery_sentences.no_entry(name, names))
            raise CheckFailure(sentences.not_a_tensor(name, str(kind)))
        return found

    def expect_parts(self) -> None:
        """The module's parameters and attributes are those of the question."""
        self._expect_registered("parts")
        for case in self._that_ran("parts"):
            if self._fact(case, "unfit"):  # other aspects tell that, and nothing was asked
                continue
            for attribute, size in self._domain.attributes.items():
                wanted = self._domain.shape(size, case.sizes)[0]
                if (self._fact(case, "attributes") or {}).get(attribute) != wanted:
                    raise CheckFailure(battery_sentences.attribute(attribute, size))
        if self._inquiry.weights != LAID:
            raise self._other_layers(self._cases[0])
        if not self._inquiry.layers(self._cases[0]) and self._inquiry.outline:
            raise CheckFailure(battery_sentences.nothing_to_train())

    def expect_everywhere(self) -> None:
        """The results in all cases in one, for a question with few points."""
        self._expect_right("everywhere")

    def expect_bare(self) -> None:
        """The results where optional inputs are left out."""
        self._expect_right("bare")

    def expect_values(self) -> None:
        """The results at the sizes of the notebook's own example."""
        self._expect_right("values")

    def expect_sizes(self) -> None:
        """The results at all other sizes."""
        self._expect_right("sizes")

    def expect_extremes(self) -> None:
        """The results for zero, large and equal inputs."""
        self._expect_right("extremes")

    def expect_modes(self) -> None:
        """The results in the other mode and their gradients, where those of this mode are right."""
        self._expect_right("modes")
        for case in self._of("modes"):
            if case.gradients and not self._drops_by_hand(case):
                try:
                    self._match_gradients(case)
                except CheckFailure:
                    if self._domain.dropout or self._has_right_gradients():
                        raise

    def _expect_right(self, aspect: str) -> None:
        for case in self._of(aspect):
            self._expect_ran(case)
            if self._drops_by_hand(case):
                continue
            for name in self._domain.returns:
                self._match(case, name)

    def _drops_by_hand(self, case: Case) -> bool:
        """Whether an answer's numbers are random, as only those with dropout may be in training."""
        may = self._domain.dropout and case.training
        return may and bool(self._fact(case, "drops_by_hand"))

    def _match(self, case: Case, name: str) -> None:
        """The result `name` of a case: its shape by the domain, then its values."""
        found, spec = self._tensor(case, name), self._domain.returns[name]
        wanted = self._domain.shape(spec, case.sizes)
        with self._said_of(case):
            if list(found.shape) != wanted:
                dims = zip(spec.split(), wanted, strict=True)
                observed = observed_shape(found.shape, wanted)
                raise CheckFailure(sentences.shape(name, found.shape, dims), observed=observed)
            if name in self._domain.only_finite(case):
                if not bool(found.isfinite().all()):
                    raise CheckFailure(sentences.not_finite(name), observed="not_finite")
                return
            key, domain = f"{self._inquiry.weights}{case.source}.{name}", self._domain
            atol = domain.atol * (DISTANCE if case.data == "distant" else 1)
            self._expected.match_one(key, name, found, atol=atol, rtol=domain.rtol)

    @contextmanager
    def _said_of(self, case: Case) -> Iterator[None]:
        """Puts in front of a failure's sentence what is special about the case."""
        try:
            yield
        except CheckFailure as failure:
            if case.id == "example":
                raise
            said = f"{self._where(case)} {failure}"
            raise CheckFailure(
                said, failure.status, failure.error_map, failure.observed
            ) from failure

    def expect_gradients(self) -> None:
        """The gradients of inputs and parameters, where the results are right if any are."""
        self._expect_registered("gradients")
        cases = [case for case in self._of("gradients") if case.gradients]
        if self._inquiry.weights == SEEDED:
            raise self._other_layers(self._cases[0])
        for case in [case for case in cases if self._is_right(case)] or cases:
            self._match_gradients(case)

    def _expect_registered(self, aspect: str) -> None:
        """All that learns is a parameter of the module."""
        for case in self._of(aspect):
            if unregistered := self._fact(case, "unregistered"):
                said = battery_sentences.unregistered([str(name) for name in unregistered])
                raise CheckFailure(said, observed="unregistered")

    def _match_gradients(self, case: Case) -> None:
        self._expect_ran(case)
        backward = self._fact(case, "backward")
        if isinstance(backward, dict):
            observed = "changed" if IN_PLACE in str(backward.get("text")) else ""
            raise CheckFailure(
                battery_sentences.backward_raised(backward), "error", observed=observed
            )
        for name in self._domain.returns:
            self._tensor(case, name)  # what is not there has no gradient either
        for key, told in self._gradients(case):
            self._match_gradient(case, key, told)

    def _has_right_gradients(self) -> bool:
        try:
            self.expect_gradients()
        except CheckFailure:
            return False
        return True

    def _is_right(self, case: Case) -> bool:
        try:
            self._expect_ran(case)
            for name in self._domain.returns:
                self._match(case, name)
        except CheckFailure:
            return False
        return True

    def _match_gradient(self, case: Case, key: str, told: str) -> None:
        found = self._inquiry.found.get(f"{case.id}/gradient/{key}")
        stored = f"{self._inquiry.weights}{case.source}.gradient.{key}"
        wanted = self._expected.recording or self._expected.knows(stored)
        with self._said_of(case):
            if found is not None and wanted:
                name, atol = (
                    battery_sentences.gradient_of(told),
                    max(self._domain.atol, GRADIENT_ATOL),
                )
                self._expected.match_one(stored, name, found, atol=atol, rtol=GRADIENT_RTOL)
            elif wanted and not self._expected.recording:
                raise CheckFailure(sentences.no_gradient_at(told), observed="cut_gradient")

    def _gradients(self, case: Case) -> Iterator[tuple[str, str]]:
        """Inputs and roles by their keys, with what to call them."""
        for name in self._domain.inputs:
            yield name, name
        yield from self._inquiry.roles(case)

    def expect_kind(self) -> None:
        """Results keep dtype and device, and strides do not matter."""
        for case in self._of("kind"):
            if case.aspect == "device":
                if self._fact(case, "device") == "other":
                    raise CheckFailure(sentences.other_device(), observed="other_device")
                continue
            if self._is_beyond_torch(case):
                continue
            self._expect_ran(case)
            for name in self._domain.returns:
                found = self._tensor(case, name)
                if case.dtype != "float32" and found.dtype in OTHERS[case.dtype]:
                    said = sentences.dtype_of_all_lost(name, found.dtype, case.dtype)
                    raise CheckFailure(said, observed="other_kind")
                if case.dtype != "bfloat16":
                    self._match(case, name)

    def _is_beyond_torch(self, case: Case) -> bool:
        """Whether half precision alone made it raise, and no other one that met it."""
        error = self._fact(case, "error")
        raised = case.dtype == "bfloat16" and isinstance(error, dict)
        return raised and not re.search("same|found|match|equal", str(error.get("text")))

    def expect_way(self) -> None:
        """No function that the question rules out is called."""
        for case in self._that_ran("way"):
            used = self._fact(case, "forbidden")
            if used:
                said = battery_sentences.forbidden([str(name) for name in used])
                raise CheckFailure(said, observed="forbidden")

    def expect_care(self) -> None:
        """Nothing but the results is different after a call."""
        for case in self._that_ran("care"):
            for fact in battery_sentences.CARE:
                what = self._fact(case, fact)
                if what:
                    names = [str(one) for one in what] if isinstance(what, list) else []
                    raise CheckFailure(battery_sentences.care(fact, names), observed=fact)

    def _that_ran(self, aspect: str) -> Iterator[Case]:
        """Cases in which nothing was raised; the first one has to be among them."""
        cases = list(self._of(aspect))
        self._expect_ran(cases[0])
        return (case for case in cases if self._fact(case, "error") is None)

    def signature(self, aspect: str) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
        """What tells this answer from others in one aspect: samples of numbers, and facts."""
        ids = [case.id for case in self._cases if case.aspect in CASES_OF[aspect]]
        status = "" if self._failure is None else self._failure.status
        return signature(aspect, ids, self._inquiry, status)
