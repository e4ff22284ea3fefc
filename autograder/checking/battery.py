"""The systematic checks of a question, made from its domain.

Theory of operation. A battery asks the answer once, in all cases of its domain (`Domain.cases`):
a single probe, of which every aspect judges a part. Modules are first given the weights of the
solution, wherever they have a place (`layouts`); of several places the one is taken that answers
right, else the likeliest. What the solution answers is stored under the names of the cases. Each
aspect is a check that rests on rules of the course, which stand in the notebook, or on the
question's text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from weakref import WeakKeyDictionary

from autograder.checking.asking import OneCheck, Student
from autograder.checking.aspects import Examination
from autograder.checking.cases import Case
from autograder.checking.domain import Domain
from autograder.checking.examined import CASES_OF
from autograder.checking.expected import Expected
from autograder.checking.faults import idle
from autograder.checking.inputs import Floats
from autograder.checking.marks import points, values
from autograder.errors import UsageError
from autograder.results import battery_sentences

RULES: dict[str, tuple[str, ...]] = {
    "values": (),
    "bare": (),
    "everywhere": ("Any size", "Any number"),
    "sizes": ("Any size",),
    "extremes": ("Any number",),
    "gradients": ("Gradients flow",),
    "modes": ("One answer in both modes",),
    "kind": ("Numbers keep their kind",),
    "way": (),
    "parts": (),
    "care": ("Nothing else changes", "A module is called"),
}
"""The rules of the course on which each aspect rests, by their titles in the notebooks; none where
it rests on the sentences of the question itself."""


Check = Callable[[Student, Expected], None]


class Battery:
    """The checks of one question, an aspect each; an aspect without points is not checked.

    A question may have several, of which each but one is of a domain that is a `part`.

    Attributes:
        domain: what it was made from.
        aspects: those that are checked, in the order in which students read them.
    """

    def __init__(self, domain: Domain, **points_of: float) -> None:
        if unknown := points_of.keys() - RULES.keys():
            raise ValueError(f"unknown aspect {min(unknown)}: a battery has {', '.join(RULES)}")
        if below := [aspect for aspect, worth in points_of.items() if worth < 0]:
            raise ValueError(f"the aspect `{below[0]}` is worth less than no points")
        if fault := next(idle(domain, points_of), None):
            raise ValueError(f"the battery of `{domain.answer}` is wrong: {fault}")
        self.domain = domain
        self.aspects = [aspect for aspect in RULES if aspect in points_of]
        self._points = points_of
        self._cases = [self._as_judged(case) for case in domain.cases() if self._judges(case)]
        self._known: WeakKeyDictionary[Student, Examination] = WeakKeyDictionary()

    def checks(self) -> dict[str, Check]:
        """The checks by name, in the order of `aspects`."""
        start = f"check_{self.domain.part}_" if self.domain.part else "check_"
        return {f"{start}{aspect}": self._check(aspect) for aspect in self.aspects}

    def _judges(self, case: Case) -> bool:
        """Whether an aspect looks at the case; the first one is also where weights are laid."""
        looked_at = {one for aspect in self.aspects for one in CASES_OF[aspect]}
        return case.id == "example" or case.aspect in looked_at

    def _as_judged(self, case: Case) -> Case:
        """The case without what no aspect asks for."""
        compared = "gradients" in self.aspects
        if case.aspect == "modes":
            looked_at = not {"modes", "everywhere"}.isdisjoint(self.aspects)
            dropped = self.domain.dropout and "modes" in self.aspects
            compared = (compared and looked_at) or dropped
        again = case.again and "care" in self.aspects
        return replace(case, again=again, gradients=case.gradients and compared)

    def _check(self, aspect: str) -> Check:
        plain = self.domain.plain and aspect == "everywhere"

        def check(student: Student, expected: Expected) -> None:
            examination = self.examination(student, expected, aspect)
            try:
                getattr(examination, f"expect_{aspect}")()
            finally:
                student.note(*examination.signature(aspect))
            if plain and expected.recording:
                self._expect_no_constant(expected)

        check.__name__ = check.__qualname__ = f"check_{aspect}"
        said = battery_sentences.aspect(
            self._told_as(aspect),
            self.domain.answer,
            self.domain.returns,
            list(self.domain.settings),
        )
        check.__doc__ = battery_sentences.said_about(self.domain.about, said)
        marked: Check = points(self._points[aspect], aspect=self._marked_as(aspect))(check)
        gathers = self.domain.gathers and aspect == "values"
        return values(marked) if plain or gathers else marked

    def _marked_as(self, aspect: str) -> str:
        """What is said of an answer that is wrong there alone depends on this."""
        floats = any(isinstance(kind, Floats) for kind in self.domain.kinds.values())
        return "whole_extremes" if aspect == "extremes" and not floats else aspect

    def _told_as(self, aspect: str) -> str:
        """What students read of an aspect: of modes it depends on what chance there is."""
        if aspect == "modes" and self.domain.dropout:
            return "dropout"
        return "random" if aspect == "modes" and self.domain.random else aspect

    def _expect_no_constant(self, expected: Expected) -> None:
        """Refuses to take the check under way for one of values if constants pass it.

        Raises:
            UsageError: each result is one number in all cases.
        """
        own, sources = expected.of(self.domain.part), {c.source for c in self.domain.cases()}
        for name in self.domain.returns:
            stored = [own.stored(f"{source}.{name}") for source in sources]
            if len({n for one in stored if one is not None for n in one.flatten().tolist()}) > 1:
                break
        else:
            raise UsageError(
                f"each result of `{self.domain.answer}` is one number in all cases, so its battery "
                "is not of values: leave `plain` out, and mark a check of your own with `@values` "
                "that asks for others"
            )

    def examination(self, student: Student, expected: Expected, aspect: str) -> Examination:
        """What came of asking `student` once for all aspects, or for this one alone."""
        part = expected.of(self.domain.part)
        if isinstance(student, OneCheck):
            cases = [c for c in self._cases if c.id == "example" or c.aspect in CASES_OF[aspect]]
            return Examination(self.domain, cases, student, part)
        if student not in self._known:
            self._known[student] = Examination(self.domain, self._cases, student, part)
        return self._known[student]
