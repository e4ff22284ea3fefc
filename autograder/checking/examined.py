"""What one answer gave back in all cases, as the aspects of a battery look at it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import proxy

import torch

from autograder.checking.asking import Student, exceeded
from autograder.checking.cases import Aspect, Case
from autograder.checking.choosing import is_as_called
from autograder.checking.coincidences import in_common, large_in_common, size_in_common
from autograder.checking.comparing import comparisons, observed_shape
from autograder.checking.domain import Domain
from autograder.checking.expected import Expected
from autograder.checking.failures import CheckFailure
from autograder.checking.inputs import LONE, Floats, Masks
from autograder.checking.inquiry import Inquiry
from autograder.checking.signature import signature
from autograder.results import battery_sentences, sentences

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

MOVED = 1e-4  # with a spread below this no number is left to chance
NEARLY = 10  # times what a right answer may be off
_MISFIT = re.compile("size|shape|dimension|length|index|range|exceeds", re.IGNORECASE)
"""What an error says of tensors that do not fit together, or of a table that is too short."""


class Examined:
    """What came of asking one answer in all cases."""

    def __init__(
        self, domain: Domain, cases: Sequence[Case], student: Student, expected: Expected
    ) -> None:
        self._domain = domain
        self._cases = cases
        self._student = proxy(student)  # a battery keeps this as long as the student lives
        self._expected = expected
        self._failure: CheckFailure | None = None
        self._right: list[Case] = []
        self._wrong: list[Case] | None = None  # as those that are right, once somebody asked
        self._inquiry = Inquiry(domain, cases, self._student, expected)
        try:
            self._inquiry.ask()
        except CheckFailure as failure:
            self._failure = failure.anew()

    def _of(self, aspect: str) -> Iterator[Case]:
        """The cases an aspect looks at; nothing may have stood in the way of them all."""
        if self._failure is not None:
            if self._failure.status == "wrong" and self._failure.observed != "other_layer":
                self._expect_not_raised(self._cases[0])  # as for want of a layer
            raise self._failure.anew()
        return (case for case in self._cases if case.aspect in CASES_OF[aspect])

    def _fact(self, case: Case, name: str) -> Any:
        return self._inquiry.told[case.id].get(name)

    def _expect_not_raised(self, case: Case) -> None:
        error = self._fact(case, "error")
        if isinstance(error, dict):
            if error.get("name") == "MissingName":
                said = self._student.why_missing(str(error.get("text")))
                raise CheckFailure(said, "error")
            where = "" if case.id == "example" else self._where(case)
            said = battery_sentences.raised_in(where, error)
            observed = self._why_raised(case, str(error.get("text")))
            status = exceeded(str(error.get("name")), str(error.get("text")))
            raise CheckFailure(said, status, observed=observed)

    def _why_raised(self, case: Case, text: str) -> str:
        """What made it raise where the first case did not, as a name in `kinds.OBSERVED`."""
        if case is self._cases[0] or self._fact(self._cases[0], "error"):
            return ""
        if case.omitted and "NoneType" in text:
            return "not_asked"
        if case.dtype != "float32":
            return "other_kind"
        if case.strided:
            return "strided_alone"
        of_sizes = case.aspect == "sizes" and case.id not in self._domain.other_settings
        misfit = of_sizes and _MISFIT.search(text) and "state_dict" not in text
        alone = self._why_alone(case)
        return "fixed_size" if misfit and alone != "small_alone" else alone

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
        if case.source != self._cases[0].source:
            said = f"{self._where(case)} {said[:1].lower()}{said[1:]}"
            observed = self._why_alone(case) or observed
        return CheckFailure(said, observed=observed)

    def _where(self, case: Case) -> str:
        told = self._domain.told(case)
        if case.id in self._domain.other_settings:
            return battery_sentences.with_another(list(case.chosen), told)
        nearly = not is_as_called(case, [name for name in case.sizes if name in told])
        return battery_sentences.in_case(case.id, told, nearly=nearly)

    def _tensor(self, case: Case, name: str) -> torch.Tensor:
        found = self._inquiry.found.get(f"{case.id}/{name}")
        if found is None:
            kind = (self._fact(case, "kinds") or {}).get(name, "NoneType")
            names = list(self._domain.returns)
            if kind == "NoneType" and self._domain.dictionary:
                raise CheckFailure(battery_sentences.entries(names))
            if name in (self._fact(case, "absent") or []):
                raise CheckFailure(battery_sentences.no_entry(name, names))
            observed = "returned_nothing" if kind == "NoneType" else "no_tensor"
            raise CheckFailure(
                sentences.not_a_tensor(name, str(kind)),
                observed="" if len(names) > 1 else observed,
            )
        return found

    def _drops_by_hand(self, case: Case) -> bool:
        """Whether an answer's results are random, as only those with dropout may be in training."""
        spreads = (self._inquiry.found.get(f"{case.id}/spread/{n}") for n in self._domain.returns)
        moved = any(one is not None and bool(one.abs().max() > MOVED) for one in spreads)
        may = self._domain.dropout and case.training
        return may and moved and bool(self._fact(case, "drops_by_hand"))

    def _match(self, case: Case, name: str) -> None:
        """The result `name` of a case: its shape by the domain, then its values."""
        with self._said_of(case):
            found = self._tensor(case, name)
            self._expect_shape(case, name, found)
            if name in self._domain.only_finite(case):
                if not bool(found.isfinite().all()):
                    raise CheckFailure(sentences.not_finite(name), observed="not_finite")
                return
            key, domain = f"{self._inquiry.weights}{case.source}.{name}", self._domain
            atol, rtol = domain.atol_in(case), domain.rtol
            self._expected.match_one(key, name, found, atol=atol, rtol=rtol)

    def _expect_shape(self, case: Case, name: str, found: torch.Tensor) -> None:
        spec = self._domain.returns[name]
        wanted = self._domain.shape(spec, case.sizes)
        if list(found.shape) != wanted:
            dims = zip(spec.split(), wanted, strict=True)
            observed = observed_shape(found.shape, wanted)
            raise CheckFailure(sentences.shape(name, found.shape, dims), observed=observed)

    @contextmanager
    def _said_of(self, case: Case) -> Iterator[None]:
        """Puts in front of a failure's sentence what is special about the case."""
        try:
            yield
        except CheckFailure as failure:
            if case.id == "example":
                raise
            said, observed = f"{self._where(case)} {failure}", self._why_wrong(case)
            raise failure.anew(said, observed) from failure

    @contextmanager
    def _blaming_chance(self, case: Case) -> Iterator[None]:
        """Chance is named for what is wrong in training alone, where it acts unasked."""
        try:
            yield
        except CheckFailure as failure:
            quiet = [one for one in self._cases if not one.training]
            if not (quiet and self._fact(case, "drew") and all(map(self._is_right, quiet))):
                raise
            raise failure.anew(observed="drew") from failure

    def _why_wrong(self, case: Case) -> str:
        """What makes wrong what is right in the first case, as a name in `kinds.OBSERVED`."""
        masks = any(isinstance(kind, Masks) for kind in self._domain.kinds.values())
        if case.strided and self._is_right(self._cases[0]):
            return "strided_alone"
        lone = case.data in LONE and masks and not case.omitted
        if lone and self._is_right(self._cases[0]):
            return "finite_mask"
        return self._why_alone(case)

    def _why_alone(self, case: Case) -> str:
        """What all cases have in common whose numbers are wrong, as a name in `kinds.OBSERVED`.

        Else what those of all sizes have in common, if it is one of them.
        """
        if case.aspect not in CASES_OF["everywhere"] or self._expected.recording:
            return ""
        wrong = self._wrong_cases()
        if self._cases[0] not in self._right or case not in wrong:
            return ""
        if all(map(self._is_nearly_right, wrong)):
            return ""
        if any(self._fact(one, "changed") for one in wrong):
            return "changed"
        kinds = {type(kind) for kind in self._domain.kinds.values()}
        floats = Floats in kinds and kinds <= {Floats, Masks}
        if name := in_common(wrong, self._right, floats=floats):
            return name
        of_sizes = [one for one in wrong if one.aspect in ALL_SIZES]
        name = size_in_common(of_sizes, self._right) if case in of_sizes else ""
        if name == "alike_alone":  # numbers are larger there, too
            return ""
        if name or case not in of_sizes:
            return name
        return large_in_common(of_sizes, self._right, self._domain.sizes_of_tensors)

    def _wrong_cases(self) -> list[Case]:
        """The cases with wrong results, told once from those with right ones.

        Of those alone is told for which results are stored, and in which none is random.
        """
        if self._wrong is not None:
            return self._wrong
        self._wrong = []  # for those who ask while they are told apart
        cases = [
            one
            for one in self._cases
            if one.aspect in CASES_OF["everywhere"]
            and self._is_stored(one)
            and not self._drops_by_hand(one)
        ]
        with comparisons.left_alone():
            self._right = [one for one in cases if self._is_right(one)]
        self._wrong = [one for one in cases if one not in self._right]
        return self._wrong

    def _is_nearly_right(self, case: Case) -> bool:
        """Whether results are off by so little that where they are is a matter of chance."""
        for name in self._domain.returns:
            found = self._inquiry.found.get(f"{case.id}/{name}")
            wanted = self._expected.stored(f"{self._inquiry.weights}{case.source}.{name}")
            if found is None or wanted is None:
                return False
            if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
                return False
            off, size = (found.double() - wanted.double()).abs(), wanted.double().abs()
            allowed = self._domain.atol_in(case) + self._domain.rtol * size
            if not bool((off <= NEARLY * allowed).all()):
                return False
        return True

    def _is_stored(self, case: Case) -> bool:
        """Whether its results are: of some cases gradients alone are looked at."""
        keys = (f"{self._inquiry.weights}{case.source}.{name}" for name in self._domain.returns)
        return all(self._expected.stored(key) is not None for key in keys)

    def _is_right(self, case: Case) -> bool:
        try:
            self._expect_ran(case)
            for name in self._domain.returns:
                self._match(case, name)
        except CheckFailure:
            return False
        return True

    def _is_beyond_torch(self, case: Case) -> bool:
        """Whether half precision alone made it raise, and no other one that met it."""
        error = self._fact(case, "error")
        raised = case.dtype == "bfloat16" and isinstance(error, dict)
        return raised and not re.search("same|found|match|equal", str(error.get("text")))

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
