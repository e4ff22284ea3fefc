"""Expected tensors made from, and compared with, what the instructor's solution does today."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from autograder.authoring.storing import write_beyond_rounding
from autograder.checking.comparing import compare
from autograder.checking.expected import Expected, Recorder
from autograder.checking.failures import CheckFailure
from autograder.checking.misconceptions import (
    Misconception,
    misconceptions,
    replies_file,
    unwritten,
)
from autograder.course.assignments import Assignment
from autograder.course.cells import name_of
from autograder.course.pace import Pace
from autograder.errors import Ungraded, UsageError
from autograder.files import write_changed
from autograder.grading.evidence import failed_by_itself, is_withheld
from autograder.grading.grader import Grader
from autograder.grading.jury import ExpectedOf
from autograder.grading.mistakes import Known, Mistakes, as_bytes, by_case, known, load
from autograder.grading.readiness import fails_visibly, failures, visible_failure
from autograder.grading.trial import Bench, Trial, trial
from autograder.intake.submission import repair
from autograder.results.model import QuestionResult
from autograder.results.sentences import NOT_TO_BE_USED

_BOUNDS = {
    "sizes": "sizes by `smallest`, `largest` and `multiples`",
    "extremes": "zeros and large numbers by `extremes=False`",
    "kind": "float64 by `doubles=False`",
}
"""By aspect, how a domain leaves out what is not legal; single cases by `without`."""


def record(grader: Grader) -> dict[str, Recorder]:
    """The expected tensors of every question, by slug.

    Raises:
        UsageError: the instructor's own solution fails a check, or students see one asked for.
    """
    assignment = grader.assignment
    assignment.expect_checks_hidden()
    recorders: dict[str, Recorder] = {}

    def recorder(slug: str) -> Recorder:
        return recorders.setdefault(slug, Recorder({}))

    repaired = repair(assignment.solved, assignment.release)
    try:
        graded = grader.grade_repaired(repaired, "solution", recorder)
    except Ungraded:  # a wrong solution may break a check that is sound
        _expect_visibly_right(assignment, fails_visibly(grader))
        raise
    if failed := failures(graded):
        questions = graded.result.questions
        more = [*_without_values(questions), *_beyond_the_domain(questions)]
        said = "\n".join([failed, *more, *_raised_in_probes(grader, questions)])
        raise UsageError(f"the solution of {assignment.id} fails its own checks:\n{said}")
    _expect_visibly_right(assignment, visible_failure(graded.notebook))
    for found in recorders.values():
        found.expect_matchable()
    return {slug: found for slug, found in recorders.items() if found.tensors}


def _expect_visibly_right(assignment: Assignment, failed: str) -> None:
    if failed:
        raise UsageError(f"the solution of {assignment.id} fails what students see: {failed}")


def _without_values(questions: Iterable[QuestionResult]) -> Iterator[str]:
    """What to do about each question of which all checks hold, and none is of values."""
    for question in questions:
        if any(map(is_withheld, question.checks)) and not failed_by_itself(question.checks):
            yield (
                f"No check of {question.slug} is of values: mark one with `@values` that only "
                "right answers pass, or say `plain=True` of a domain and judge `everywhere`."
            )


def _beyond_the_domain(questions: Iterable[QuestionResult]) -> Iterator[str]:
    """How a domain says what no case may ask for."""
    for question in questions:
        raised = {check.name.rpartition("_")[2] for check in question.checks if not check.passed}
        fields = [field for aspect, field in _BOUNDS.items() if aspect in raised]
        if fields:
            yield (
                f"If {question.slug} need not stand what it was asked for there, its domain says "
                f"so: {'; '.join(fields)}; single cases by `without`."
            )


def _raised_in_probes(grader: Grader, questions: Iterable[QuestionResult]) -> Iterator[str]:
    """Which probe raised what is told of the answer: here it may be the probe that is wrong."""
    for question in questions:
        slug = question.slug
        if any(check.message.startswith(NOT_TO_BE_USED) for check in question.checks):
            source = grader.dependencies.source(slug)
            asked = grader.assignment.question(slug)
            if place := trial(grader, asked, source, lambda _: Recorder({})).raised_in:
                yield (
                    f"The error of {slug} was raised in the probe {place}. If the solution is "
                    "right, mend the probe, or what the check hands in to it."
                )


def write_expected(assignment: Assignment, recorders: dict[str, Recorder]) -> list[Path]:
    """Stores the expected tensors; returns the changed files.

    Those of questions that have none are dropped, and so are the kinds of questions that are gone.
    """
    folder = assignment.checks / "expected"
    made = {assignment.expected_file(slug): found.as_bytes() for slug, found in recorders.items()}
    changed = [path for path, data in made.items() if write_beyond_rounding(path, data)]
    gone = [path for path in folder.glob("*.safetensors") if path.stem not in recorders]
    slugs = {question.slug for question in assignment.questions}
    kinds = (assignment.checks / "kinds").glob("*.safetensors")
    gone += [path for path in kinds if path.stem not in slugs]
    for path in gone:
        path.unlink()
    return changed + gone


def measured_pace(grader: Grader, recorders: Mapping[str, Recorder]) -> Pace:
    """How long the solution takes where its answers are compared with `recorders`."""
    assignment = grader.assignment
    repaired = repair(assignment.solved, assignment.release)
    graded = grader.grade_repaired(repaired, "solution", _kept_in(recorders))
    cells, probes = _timed(assignment)
    found = graded.pace or Pace()
    return Pace.measured(
        {name: found.cells.get(name, 0.0) for name in cells},
        {slug: found.probes.get(slug, 0.0) for slug in probes},
    )


def write_pace(assignment: Assignment, measured: Pace) -> list[Path]:
    """Stores how long the solution takes, unless what is stored is near to it; the changed file."""
    path = assignment.pace_file
    text = measured.settled(Pace.load(path)).as_text()
    return [path] if write_changed(path, text.encode()) else []


def pace_differences(assignment: Assignment) -> list[str]:
    """Of which cells and questions no time is stored, or one though there is no such thing.

    How long they take is not compared: that differs from machine to machine.
    """
    stored, (cells, probes) = Pace.load(assignment.pace_file), _timed(assignment)
    now, was = {*cells, *probes}, {*stored.cells, *stored.probes}
    found = [f"{name} has no stored time" for name in sorted(now - was)]
    return found + [f"{name} has a stored time, and is gone" for name in sorted(was - now)]


def _timed(assignment: Assignment) -> tuple[list[str], list[str]]:
    """The code cells of the release, by name, and the slugs of the questions."""
    cells = [cell for cell in assignment.release.cells if cell.cell_type == "code"]
    return [name_of(cell) for cell in cells], [question.slug for question in assignment.questions]


def _kept_in(recorders: Mapping[str, Recorder]) -> ExpectedOf:
    return lambda slug: Expected(recorders[slug].tensors if slug in recorders else {})


def differences(assignment: Assignment, recorders: dict[str, Recorder]) -> list[str]:
    """How the stored expected tensors differ from `recorders`, one sentence each."""
    stored = {p.stem for p in (assignment.checks / "expected").glob("*.safetensors")}
    found = [f"{slug} has no expected tensors" for slug in sorted(recorders.keys() - stored)]
    found += [
        f"{slug} has expected tensors it does not use" for slug in sorted(stored - set(recorders))
    ]
    for slug in sorted(stored & set(recorders)):
        wanted = Expected.load(assignment.expected_file(slug)).tensors
        made = recorders[slug].tensors
        found += [f"{slug}: the case {key} changed" for key in sorted(wanted.keys() ^ made.keys())]
        for key in sorted(wanted.keys() & made.keys()):
            try:
                atol, rtol = recorders[slug].tolerances(key)
                compare(key, made[key], wanted[key], atol=atol, rtol=rtol, exact_dtype=True)
            except CheckFailure as failure:
                found.append(f"{slug}: {failure}")
    return found


def record_misconceptions(
    grader: Grader, recorders: Mapping[str, Recorder]
) -> tuple[dict[str, Mistakes], list[str]]:
    """How every known misconception fares against `recorders`, by slug.

    And what is wrong with those that cannot be applied to the solution, lose no points, or reply
    as another one does: they cost none of the others their names.

    Raises:
        UsageError: a file cannot be read, or is of no question; or the solution fails where it
            stands alone.
    """
    assignment = grader.assignment
    made: dict[str, Mistakes] = {}
    faults: list[str] = []
    expected_of = _kept_in(recorders)
    slugs = {question.slug for question in assignment.questions}
    folder = assignment.checks / "misconceptions"
    for path in [*sorted(folder.glob("*.py")), *sorted(folder.glob("*/*.py"))]:
        slug = path.stem if path.parent == folder else path.parent.name
        if slug not in slugs:
            raise UsageError(
                f"{path} holds misconceptions of {slug}, and {assignment.id} has no such question"
            )
    for question in assignment.questions:
        slug = question.slug
        listed = misconceptions(assignment, slug)
        if not listed:
            continue
        with Bench(grader, question, expected_of) as bench:
            made[slug], wrong = _recorded(grader.dependencies.source(slug), listed, slug, bench)
            faults += wrong
    return made, faults


def _recorded(
    source: str, listed: Sequence[Misconception], slug: str, bench: Bench
) -> tuple[Mistakes, list[str]]:
    """How the misconceptions of one question fare, with their faults; `source` is its solution."""
    right = bench.of(source)
    if right.failed:
        raise UsageError(
            f"the solution of {slug} fails its checks when only the cells run that define "
            f"names it uses: {', '.join(right.failed)}"
        )
    found: dict[str, Known] = {}
    faults = []
    for one in listed:
        try:
            found[one.name] = _fared(one, source, bench, right)
            _expect_no_twin(one.name, found)
        except UsageError as error:
            faults.append(f"{slug}: {error}")
    return Mistakes(found, by_case(right.heard)), faults


def _fared(one: Misconception, source: str, bench: Bench, right: Trial) -> Known:
    tried = bench.of(one.applied(source))
    if not tried.failed:
        raise UsageError(f"the misconception {one.name} loses no points")
    if misspelt := next((c.message for c in tried.checks if "NameError" in c.message), ""):
        raise UsageError(f"the misconception {one.name} does not run as it stands: {misspelt}")
    return known(tried.evidence, right.heard)


def _expect_no_twin(name: str, found: Mapping[str, Known]) -> None:
    twins = [other for other, its in found.items() if other != name and its.equals(found[name])]
    if twins:
        raise UsageError(
            f"the misconceptions {twins[0]} and {name} reply alike, so that neither can be told: "
            "keep one of them"
        )


def write_misconceptions(assignment: Assignment, made: Mapping[str, Mistakes]) -> list[Path]:
    """Stores what the misconceptions say beside their files; returns the changed."""
    stored = (assignment.checks / "misconceptions").glob("*.safetensors")
    gone = [path for path in stored if path.stem not in made]
    for path in gone:
        path.unlink()
    files = {replies_file(assignment, slug): as_bytes(mistakes) for slug, mistakes in made.items()}
    return gone + [path for path, data in files.items() if write_beyond_rounding(path, data)]


def misconception_differences(assignment: Assignment) -> list[str]:
    """Whose replies are not stored, or stored though nobody lists it, or whose sentence is missing.

    Whether they are still what it replies, the mutants tell.
    """
    stored = (assignment.checks / "misconceptions").glob("*.safetensors")
    slugs = {path.stem for path in stored} | {question.slug for question in assignment.questions}
    found = []
    for slug in sorted(slugs):
        was = load(replies_file(assignment, slug)).known.keys()
        listed = misconceptions(assignment, slug)
        now = {one.name for one in listed}
        found += [f"{slug}: {name} has no stored replies" for name in sorted(now - was)]
        found += [f"{slug}: {name} has stored replies but no code" for name in sorted(was - now)]
        found += [f"{slug}: {unwritten(one)}" for one in listed if not one.sentence]
    return found
