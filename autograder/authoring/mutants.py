"""How strong the checks of whole assignments are (`autograder mutants`).

Wrong answers are the misconceptions of an assignment and the mechanical mutants of its solutions.
Of each question the kill matrix (checks against wrong answers) goes to `.cache/mutants/`, as CSV.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from tqdm import tqdm

from autograder.authoring.notebooks import STYLES, told_in
from autograder.authoring.storing import write_beyond_rounding
from autograder.authoring.strength import LIMITS, Strength, try_out, wrong_answers
from autograder.box.outside.lending import Lender
from autograder.checking.misconceptions import PRICES, misconceptions
from autograder.course.assignments import Course
from autograder.grading.change_library import Library
from autograder.grading.grader import Grader
from autograder.grading.mutations.kinds import KINDS
from autograder.grading.names import imported_modules

KILL_RATE = 0.98
NAMED_RATE = 0.95
SLACK = 0.005  # of rounding to whole points
NOTHING_STORED = "nothing is stored yet: with --store students are told kinds of mutants as well"
FEW = 4  # mutants of a kind, too few to tell a price from


def faults(strengths: Sequence[Strength]) -> list[str]:
    """What keeps the checks of an assignment from being called strong, one line each."""
    found = []
    named: list[bool] = []
    mechanical = killed = 0
    for strength in strengths:
        slug = strength.question.slug
        for name, told in strength.named.items():
            if name not in strength.hanging:
                named.append(told == {name})
            if not strength.killed[name]:
                found.append(f"{slug}: the misconception {name} loses no points")
            if told - {name}:
                found.append(f"{slug}: {name} is taken for {', '.join(sorted(told - {name}))}")
        for label, called in strength.elsewhere.items():
            if called != {label.partition(", ")[0]}:
                found.append(f"{slug}: in a whole notebook ({label}) the name is {called}")
        found += out_of_band(strength)
        found += [f"{slug}: {n} replies otherwise: `autograder expected`" for n in strength.stale]
        found += [f"{slug}: replies as nothing stored: {n}" for n in strength.forgotten]
        found += [f"{slug}: fails the visible check alone: {n}" for n in strength.unpunished]
        for label, by in strength.killed.items():
            if label in strength.equivalent:
                if by:
                    found.append(f"{slug}: listed as equivalent, yet killed: {label}")
            elif label not in strength.named:
                mechanical += 1
                killed += bool(by)
    if named and sum(named) < NAMED_RATE * len(named):
        found.append(f"only {sum(named)} of {len(named)} misconceptions are named")
    found += [one.fault for one in sorts(strengths) if one.fault]
    if killed < KILL_RATE * mechanical:
        found.append(f"only {killed} of {mechanical} mutants are killed")
    return found


def out_of_band(strength: Strength) -> list[str]:
    """Misconceptions that cost less or more than their class says; a bonus costs nothing."""
    slug = strength.question.slug
    return [
        f"{slug}: {name} costs {strength.lost[name]:.0%} of its points, {_told(price)}"
        for name, price in strength.priced.items()
        if name in strength.named and strength.question.points
        if not _in_band(strength.lost[name], price)
    ]


def _in_band(lost: float, price: str) -> bool:
    least, most = PRICES[price]
    return least - SLACK <= lost <= most + SLACK


def _told(price: str) -> str:
    least, most = PRICES[price]
    return f"a mistake of the class {price} {least:.0%} to {most:.0%}"


@dataclass(frozen=True)
class Sort:
    """The mutants of one kind in an assignment.

    Attributes:
        lost: the shares of their points that they lost, equal answers left out.
    """

    kind: str
    lost: list[float]

    @property
    def killed(self) -> int:
        """How many lost points."""
        return sum(lost > 0 for lost in self.lost)

    @property
    def price(self) -> float:
        """The median loss of those that lost points."""
        return median([lost for lost in self.lost if lost] or [0.0])

    @property
    def fault(self) -> str:
        """What is wrong with their price; empty where nothing is, or too few say."""
        price = KINDS[self.kind].price
        if not price or self.killed < FEW or _in_band(self.price, price):
            return ""
        return f"mutants of the kind {self.kind} cost {self.price:.0%}, {_told(price)}"


def sorts(strengths: Sequence[Strength]) -> list[Sort]:
    """The mutants of the first order, kind by kind, the dearest first; bonuses cost nothing."""
    lost = defaultdict(list)
    for strength in strengths:
        for label, kind in strength.kinds.items():
            if kind in KINDS and label not in strength.equivalent and strength.question.points:
                lost[kind].append(strength.lost[label])
    return sorted((Sort(kind, found) for kind, found in lost.items()), key=lambda one: -one.price)


def prices(strengths: Sequence[Strength]) -> str:
    """What every misconception and kind of mutant costs, the dearest first."""
    rows = [
        (lost, f"  {lost:4.0%}  {strength.question.slug}: {name} {strength.priced.get(name, '')}")
        for strength in strengths
        for name in strength.named
        for lost in [strength.lost[name]]
    ]
    lines = [row.rstrip() for _, row in sorted(rows, key=lambda row: -row[0])]
    for one in sorts(strengths):
        killed = f"{one.killed} of {len(one.lost)} killed"
        lines.append(
            f"  {one.price:4.0%}  mutants: {one.kind}, {killed} {KINDS[one.kind].price}".rstrip()
        )
    return "\n".join(lines)


def summary(strengths: Sequence[Strength]) -> str:
    """A few lines for each question: what was killed, what survived, which checks do nothing."""
    lines = []
    for strength in strengths:
        mutant_labels = [label for label in strength.killed if label not in strength.named]
        wrong = [label for label in mutant_labels if label not in strength.equivalent]
        right = sum(told == {name} for name, told in strength.named.items())
        lines.append(
            f"{strength.question.slug}: {sum(bool(strength.killed[w]) for w in wrong)} of "
            f"{len(wrong)} mutants killed, {len(strength.equivalent)} equivalent; "
            f"{right} of {len(strength.named)} misconceptions named"
        )
        lines += [
            f"  survived ({strength.kinds.get(label, 'a misconception')}): {label}"
            for label in strength.survivors
        ]
        lines += [
            f"  hangs or breaks off, which has no name: {name}"
            if name in strength.hanging
            else f"  not named: {name}"
            for name, told in strength.named.items()
            if told != {name}
        ]
        lines += [f"  {NOTHING_STORED}"] * strength.unstored
        lines += [f"  no wrong answer fails it: {check}" for check in strength.idle]
        lines += [f"  kills nothing alone: {check}" for check in strength.redundant]
    return "\n".join(lines)


def write_matrix(strength: Strength, folder: Path) -> None:
    """The kill matrix: a row for each wrong answer, 1 where a check fails it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{strength.question.slug}.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["wrong answer", *strength.checks, "equivalent because"])
        for label, by in strength.killed.items():
            marks = [int(check in by) for check in strength.checks]
            writer.writerow([label, *marks, strength.equivalent.get(label, "")])


def measured(grader: Grader, slug: str, *, store: bool) -> Strength:
    """What the checks of one question do to all wrong answers.

    `store`: whether what its mutants reply is stored, to be told from then on.
    """
    assignment = grader.assignment
    question = assignment.question(slug)
    strength = try_out(grader, question, wrong_answers(grader, question))
    if store:
        path = assignment.kinds_file(slug)
        path.parent.mkdir(exist_ok=True)
        write_beyond_rounding(path, strength.library.as_bytes())
    known = (m for m in misconceptions(assignment, slug) if m.name not in strength.hanging)
    for one, style in zip(known, cycle(STYLES)):
        told = told_in(grader, question, one, style, strength.killed[one.name])
        strength.elsewhere[f"{one.name}, {style}"] = told
    stored = assignment.kinds_file(slug)
    strength.forgotten = strength.unknown(Library.load(stored))
    if strength.forgotten and not stored.is_file():
        strength.forgotten, strength.unstored = [], True
    write_matrix(strength, assignment.checks.parents[1] / ".cache" / "mutants" / assignment.id)
    return strength


_warm: dict[str, Grader] = {}
"""The grader of this process, by its assignment."""


def _measured_here(root: Path, name: str, slug: str, lender: str, store: bool) -> Strength:
    """As `measured`, by a grader that stays warm until another assignment is asked for.

    What mutants reply stays here: each of its tensors would travel as an open file.
    """
    if name not in _warm:
        for other in _warm.values():
            other.close()
        _warm.clear()
        assignment = Course(root).assignment_with_checks(name)
        _warm[name] = Grader(assignment, LIMITS, follows_through=False, lender=lender)
    return replace(measured(_warm[name], slug, store=store), changes={})


def _lender(course: Course, name: str) -> Lender:
    """Lends a zygote to the graders of an assignment, from when the first of them asks."""
    assignment = course.assignment_with_checks(name)
    imports = imported_modules(assignment.release)
    return Lender(imports, assignment.hidden_folders(), at_once=False)


def tried_out(
    course: Course, names: Sequence[str], *, questions: Collection[str], jobs: int, store: bool
) -> Iterator[tuple[str, list[Strength]]]:
    """Tries out whole assignments, or `questions` of theirs alone, in `jobs` processes.

    `store`: see `measured`.
    """
    with ExitStack() as stack:
        pool = stack.enter_context(ProcessPoolExecutor(jobs, get_context("spawn")))
        lenders = {name: stack.enter_context(_lender(course, name)).address for name in names}
        asked = {
            name: [
                pool.submit(_measured_here, course.root, name, one.slug, lenders[name], store)
                for one in course.assignment_with_checks(name).questions
                if not questions or one.slug in questions
            ]
            for name in names
        }
        for name, waiting in asked.items():
            yield name, [one.result() for one in tqdm(waiting, desc=name, disable=None)]


def report(name: str, strengths: Sequence[Strength], weak: Sequence[str]) -> str:
    """What became of the wrong answers to an assignment; `weak`: its `faults`."""
    told = [name, summary(strengths), "prices:", prices(strengths)]
    return "\n".join([*told, *(f"NOT STRONG: {line}" for line in weak)])
