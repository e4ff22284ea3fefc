"""How strong the checks are: every wrong answer to every question, graded.

Wrong are the misconceptions of an assignment and the mechanical mutants of its solutions. Of each
question the kill matrix (checks against wrong answers) goes to `.cache/mutants/`, as CSV. A mutant
that does what the solution does is listed with the reason in `checks/<id>/equivalents.toml`:

    [[equivalent]]
    question = "attention"
    was = "scores = q @ k.transpose(-2, -1)"
    becomes = "scores = q @ k.transpose(-1, -2)"
    reason = "transposing the last two axes is symmetric"
"""

from __future__ import annotations

import argparse
import csv
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

from autograder.authoring.mutations import mutants
from autograder.checking.misconceptions import PRICES, misconceptions
from autograder.course.assignments import Assignment, Course, Question
from autograder.course.limits import Limits
from autograder.grading.grader import Grader
from autograder.grading.recognition import load
from autograder.grading.transcripts import alike
from autograder.grading.trial import trial

LIMITS = Limits(cell_seconds=10, probe_seconds=5, submission_seconds=60)
KILL_RATE = 0.98
NAMED_RATE = 0.95
SLACK = 0.005  # of rounding to whole points


@dataclass(frozen=True)
class Wrong:
    """A wrong answer: a misconception with its name, or a mutant with its change."""

    name: str
    was: str
    becomes: str
    source: str
    price: str = ""


@dataclass
class Strength:
    """What the checks of one question did to wrong answers.

    Attributes:
        checks: names of the checks.
        killed: the checks that each wrong answer failed, by its label.
        named: the misconception that was told, by the name of the one that was there.
        lost: the share of the points that each wrong answer lost, by its label.
        priced: the class of each misconception that is in one, by its name.
        stale: misconceptions whose stored replies are not those they give now.
        equivalent: reasons, by the label of each mutant listed as equivalent.
    """

    question: Question
    checks: list[str] = field(default_factory=list)
    killed: dict[str, list[str]] = field(default_factory=dict)
    named: dict[str, set[str]] = field(default_factory=dict)
    stale: list[str] = field(default_factory=list)
    lost: dict[str, float] = field(default_factory=dict)
    priced: dict[str, str] = field(default_factory=dict)
    equivalent: dict[str, str] = field(default_factory=dict)

    @property
    def survivors(self) -> list[str]:
        """Wrong answers that no check noticed and that nobody calls equivalent."""
        return [
            label for label, by in self.killed.items() if not by and label not in self.equivalent
        ]

    @property
    def idle(self) -> list[str]:
        """Checks that kill nothing which other checks do not kill as well."""
        alone = {by[0] for by in self.killed.values() if len(by) == 1}
        return [check for check in self.checks if check not in alone]


def wrong_answers(grader: Grader, question: Question) -> Iterator[Wrong]:
    """Misconceptions first, then mechanical mutants."""
    solution = grader.dependencies.source(question.slug)
    for one in misconceptions(grader.assignment, question.slug):
        yield Wrong(one.name, "", one.name, one.applied(solution), one.price)
    for mutant in mutants(solution):
        yield Wrong("", mutant.was, mutant.becomes, mutant.source)


def equivalents(assignment: Assignment, question: Question) -> dict[tuple[str, str], str]:
    """Reasons by change, of the mutants that are no wrong answers."""
    path = assignment.checks / "equivalents.toml"
    listed = tomllib.loads(path.read_text()).get("equivalent", []) if path.is_file() else []
    return {
        (one["was"], one["becomes"]): one["reason"]
        for one in listed
        if one["question"] == question.slug
    }


def try_out(
    grader: Grader, question: Question, wrong: Sequence[Wrong], bar: tqdm[Any] | None = None
) -> Strength:
    """Grades each of `wrong` on its own question."""
    strength = Strength(question)
    harmless = equivalents(grader.assignment, question)
    stored = load(grader.assignment.misconceptions_file(question.slug).with_suffix(".safetensors"))
    for one in wrong:
        found = trial(grader, question, one.source)
        strength.checks = [check.name for check in found.checks]
        label = one.name or _label(one, strength.killed)
        strength.killed[label] = found.failed
        strength.lost[label] = found.lost
        if one.price:
            strength.priced[one.name] = one.price
        if one.name:
            told = {check.misconception for check in found.checks}
            strength.named[one.name] = {name for name in told if name is not None}
            failed = {check: found.heard.get(check, []) for check in found.failed}
            if one.name not in stored or not alike(stored[one.name].transcripts, failed):
                strength.stale.append(one.name)
        elif reason := harmless.get((one.was, one.becomes)):
            strength.equivalent[label] = reason
        if bar is not None:
            bar.update()
    return strength


def _label(one: Wrong, taken: dict[str, list[str]]) -> str:
    change = f"{one.was}  =>  {one.becomes or '(dropped)'}"
    times = sum(label.startswith(change) for label in taken)
    return f"{change}  ({times + 1})" if times else change


def faults(strengths: Sequence[Strength]) -> list[str]:
    """What keeps the checks of an assignment from being called strong, one line each."""
    found = []
    named: list[bool] = []
    mechanical = killed = 0
    for strength in strengths:
        slug = strength.question.slug
        for name, told in strength.named.items():
            named.append(told == {name})
            if not strength.killed[name]:
                found.append(f"{slug}: the misconception {name} loses no points")
            if told - {name}:
                found.append(f"{slug}: {name} is taken for {', '.join(sorted(told - {name}))}")
        found += out_of_band(strength)
        found += [f"{slug}: {n} replies otherwise: `autograder expected`" for n in strength.stale]
        for label, by in strength.killed.items():
            if label in strength.equivalent:
                if by:
                    found.append(f"{slug}: listed as equivalent, yet killed: {label}")
            elif label not in strength.named:
                mechanical += 1
                killed += bool(by)
    if named and sum(named) < NAMED_RATE * len(named):
        found.append(f"only {sum(named)} of {len(named)} misconceptions are named")
    if killed < KILL_RATE * mechanical:
        found.append(f"only {killed} of {mechanical} mutants are killed")
    return found


def out_of_band(strength: Strength) -> list[str]:
    """Misconceptions that cost less or more than their class says; a bonus costs nothing."""
    if not strength.question.points:
        return []
    found = []
    for name, price in strength.priced.items():
        least, most = PRICES[price]
        if not least - SLACK <= strength.lost[name] <= most + SLACK:
            found.append(
                f"{strength.question.slug}: {name} costs {strength.lost[name]:.0%} of its points, "
                f"a mistake of the class {price} {least:.0%} to {most:.0%}"
            )
    return found


def prices(strengths: Sequence[Strength]) -> str:
    """What every misconception costs, the dearest first."""
    rows = [
        (lost, f"  {lost:4.0%}  {strength.question.slug}: {name} {strength.priced.get(name, '')}")
        for strength in strengths
        for name in strength.named
        for lost in [strength.lost[name]]
    ]
    return "\n".join(row.rstrip() for _, row in sorted(rows, key=lambda row: -row[0]))


def summary(strengths: Sequence[Strength]) -> str:
    """A few lines for each question: what was killed, what survived, which checks stand idle."""
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
        lines += [f"  survived: {label}" for label in strength.survivors]
        lines += [f"  not named: {name}" for name, told in strength.named.items() if told != {name}]
        lines += [f"  kills nothing alone: {check}" for check in strength.idle]
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


def main() -> int:
    """Tries out whole assignments; exit 1 when one of them is not strong."""
    parser = argparse.ArgumentParser(description="Grade every known and mechanical wrong answer.")
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="default: all")
    parser.add_argument("--question", metavar="SLUG", help="only this one")
    options = parser.parse_args()
    course = Course.find()
    weak = False
    for name in options.assignments or course.assignment_ids():
        with Grader(course.assignment_with_checks(name), LIMITS, follows_through=False) as grader:
            asked = [q for q in grader.assignment.questions if options.question in (None, q.slug)]
            work = {question.slug: list(wrong_answers(grader, question)) for question in asked}
            with tqdm(total=sum(map(len, work.values())), desc=name, disable=None) as bar:
                strengths = [try_out(grader, q, work[q.slug], bar) for q in asked]
        for strength in strengths:
            write_matrix(strength, course.root / ".cache" / "mutants" / name)
        found = faults(strengths)
        print(
            f"{name}\n{summary(strengths)}\nprices:\n{prices(strengths)}\n"
            + "\n".join(f"NOT STRONG: {line}" for line in found)
        )
        weak = weak or bool(found)
    return int(weak)


if __name__ == "__main__":
    sys.exit(main())
