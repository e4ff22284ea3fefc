"""Sample students whose answers one notebook can hold, so that one grading judges them all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sample_class import Sample, build, read_sample, samples

from autograder.course.assignments import Assignment
from autograder.grading.dependencies import Dependencies


def groups(assignment: Assignment, kind: str) -> list[list[Sample]]:
    """Every sample of a kind in one group.

    No two of a group answer the same question. Where answers are not right, no question that one of
    them answers, or that is not judged right, rests on one that another answers. Who adds cells,
    leaves questions unanswered or is hostile is alone.
    """
    demands = Dependencies(assignment, assignment.solved)
    found: list[list[_Member]] = []
    for sample in sorted(map(read_sample, samples(assignment.id, kind)), key=_answers_few):
        one = _Member(sample, _rests_on(sample, assignment, demands) if kind == "wrong" else set())
        alone = kind == "hostile" or sample.added or sample.empty
        homes = (group for group in found if all(map(one.fits, group)))
        if alone or not (home := next(homes, None)):
            found.append([one])
        else:
            home.append(one)
    return [[member.sample for member in group] for group in found]


def united(group: Iterable[Sample], points: float) -> Sample:
    """One student who answers as all of them do, in an assignment of so many points."""
    whole = Sample("", score=points)
    for sample in group:
        whole = Sample(
            f"{whole.name} {sample.name}".strip(),
            {**whole.answers, **sample.answers},
            {**whole.added, **sample.added},
            whole.score - (points - sample.score),
            {**whole.verdicts, **sample.verdicts},
            whole.empty or sample.empty,
        )
    return whole


@dataclass(frozen=True)
class _Member:
    """A sample, and the questions that its answers and verdicts rest on."""

    sample: Sample
    rests_on: set[str]

    def fits(self, other: _Member) -> bool:
        """Whether one notebook may hold both."""
        if other.sample.added or other.sample.empty:
            return False
        own, others = {*self.sample.answers}, {*other.sample.answers}
        return not (own & (others | other.rests_on) or others & self.rests_on)


def _rests_on(sample: Sample, assignment: Assignment, demands: Dependencies) -> set[str]:
    own = demands.of(build(sample, assignment.id))
    touched = {*sample.answers, *sample.verdicts}
    return touched.union(*(own.earlier_questions(slug) for slug in touched))


def _answers_few(sample: Sample) -> int:
    return -len(sample.answers)
