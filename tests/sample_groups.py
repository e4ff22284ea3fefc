"""Sample students whose answers one notebook can hold, so that one grading judges them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from sample_class import Sample, read_sample, samples

from autograder.course.assignments import Assignment
from autograder.grading.dependencies import Dependencies


def groups(assignment: Assignment, kind: str) -> list[list[Sample]]:
    """Every sample of a kind in one group.

    No two of a group answer the same question. Where answers are not right, no question that one of
    them answers, or that is not judged right, rests on one that another answers. Who adds cells,
    leaves questions unanswered or is hostile is alone.
    """
    right = kind == "correct"
    earlier = Dependencies(assignment, assignment.solved).earlier_questions
    rests_on = (lambda slug: [slug]) if right else (lambda slug: [slug, *earlier(slug)])
    found: list[list[Sample]] = []
    for sample in sorted(map(read_sample, samples(assignment.id, kind)), key=_answers_few):
        fits = partial(_fits, sample, rests_on)
        home = next((group for group in found if all(map(fits, group))), None)
        if home is None or kind == "hostile":
            found.append([sample])
        else:
            home.append(sample)
    return found


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


def _answers_few(sample: Sample) -> int:
    return -len(sample.answers)


def _fits(one: Sample, rests_on: Callable[[str], list[str]], other: Sample) -> bool:
    if one.added or one.empty or other.added or other.empty:
        return False
    return not any(
        set(first.answers) & {under for slug in _touched(second) for under in rests_on(slug)}
        for first, second in ((one, other), (other, one))
    )


def _touched(sample: Sample) -> set[str]:
    return {*sample.answers, *sample.verdicts}
