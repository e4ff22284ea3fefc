"""How strong the checks of a question are: known and mechanical wrong answers, graded."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import nbformat

from autograder.authoring.equivalents import equivalents
from autograder.checking import Battery
from autograder.checking.misconceptions import misconceptions, replies_file
from autograder.course.assignments import Assignment, Question
from autograder.course.cells import grade_id
from autograder.course.limits import Limits
from autograder.grading.change_library import Library, RepliesOfChange, change
from autograder.grading.check_package import CheckPackage
from autograder.grading.grader import Grader
from autograder.grading.mistakes import Known, load
from autograder.grading.mutations import Mutant, Mutations, observing
from autograder.grading.mutations.kinds import KINDS
from autograder.grading.names import imported_modules
from autograder.grading.transcripts import OF_MACHINES, alike
from autograder.grading.trial import Bench, Trial, cells_of

LIMITS = Limits(cell_seconds=10, probe_seconds=5, submission_seconds=60)
CUT = "cut_gradient"
PAIRS = 12
"""Mutants of the second order, of each question."""


@dataclass(frozen=True)
class Wrong:
    """A wrong answer: a misconception with its name, or a mutant with its kind and change."""

    name: str
    source: str
    price: str = ""
    kind: str = ""
    was: str = ""
    becomes: str = ""
    word: str = ""
    inside: str = ""

    @classmethod
    def of(cls, mutant: Mutant, said: Container[str], solution: str) -> Wrong:
        """A mutant of `solution` as a wrong answer; `said` are the words a student has read."""
        price = KINDS[mutant.kind].price if mutant.kind in KINDS else ""
        word = next((word for word in mutant.words if word in said), "")
        same = mutant.was == mutant.becomes
        inside = _first_difference(solution, mutant.source) if same else ""
        return cls("", mutant.source, price, mutant.kind, mutant.was, mutant.becomes, word, inside)


def _first_difference(solution: str, changed: str) -> str:
    """The first line that was changed, where the first lines of their statements are the same."""
    lines = (ast.unparse(ast.parse(source)).splitlines() for source in (solution, changed))
    pairs = ((was.strip(), becomes.strip()) for was, becomes in zip(*lines, strict=False))
    return next((f"`{was}` becomes `{becomes}`" for was, becomes in pairs if was != becomes), "")


@dataclass
class Strength:
    """What the checks of one question did to wrong answers.

    Attributes:
        checks: names of the checks.
        killed: the checks that each wrong answer failed, by its label.
        named: the misconception that was told, by the name of the one that was there.
        lost: the share of the points that each wrong answer lost, by its label.
        priced: the class of each wrong answer that is in one, by its label.
        kinds: the kind of each mutant, by its label.
        stale: misconceptions whose stored replies are not those they give now.
        hanging: misconceptions that hang or break off before they reply anything wrong.
        equivalent: reasons, by the label of each mutant listed as equivalent.
        changes: what each mutant of the first order replies, by its label.
        unpunished: labels of mutants that fail the notebook's own check and no hidden one.
        forgotten: labels of mutants whose stored replies are not those they give now.
        unstored: whether nothing was stored of any mutant, though some could be told.
        elsewhere: what a whole notebook of another style was told, by misconception and style.
    """

    question: Question
    checks: list[str] = field(default_factory=list)
    killed: dict[str, list[str]] = field(default_factory=dict)
    named: dict[str, set[str]] = field(default_factory=dict)
    stale: list[str] = field(default_factory=list)
    hanging: list[str] = field(default_factory=list)
    lost: dict[str, float] = field(default_factory=dict)
    priced: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    changes: dict[str, RepliesOfChange] = field(default_factory=dict)
    equivalent: dict[str, str] = field(default_factory=dict)
    unpunished: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    unstored: bool = False
    elsewhere: dict[str, set[str | None]] = field(default_factory=dict)

    @property
    def library(self) -> Library:
        """What the wrong ones among the mutants of the first order reply."""
        return Library.of([c for label, c in self.changes.items() if label not in self.equivalent])

    def unknown(self, stored: Library) -> list[str]:
        """Labels of mutants of the first order that are not in `stored` as they are now."""
        return [
            label
            for label, one in self.changes.items()
            if label not in self.equivalent and any(one.prints.values())
            if not one.kinds <= stored.matching(one.prints, one.prints)
        ]

    @property
    def survivors(self) -> list[str]:
        """Wrong answers that no check noticed and that nobody calls equivalent."""
        return [
            label for label, by in self.killed.items() if not by and label not in self.equivalent
        ]

    @property
    def idle(self) -> list[str]:
        """Checks that kill nothing at all."""
        killing = {check for by in self.killed.values() for check in by}
        return [check for check in self.checks if check not in killing]

    @property
    def redundant(self) -> list[str]:
        """Checks that kill nothing which other checks do not kill as well, and yet something."""
        alone = {by[0] for by in self.killed.values() if len(by) == 1}
        return [check for check in self.checks if check not in alone and check not in self.idle]


def wrong_answers(grader: Grader, question: Question) -> list[Wrong]:
    """Misconceptions first, then mechanical mutants."""
    return [*known_answers(grader, question), *mutants(grader, question)]


def known_answers(grader: Grader, question: Question) -> list[Wrong]:
    """The misconceptions of a question."""
    solution = grader.dependencies.source(question.slug)
    known = misconceptions(grader.assignment, question.slug)
    return [Wrong(one.name, one.applied(solution), one.price) for one in known]


def mutants(grader: Grader, question: Question) -> list[Wrong]:
    """The mechanical mutants of a question's solution: all of the first order, some pairs."""
    solution = grader.dependencies.source(question.slug)
    kinds = {name: k for name, k in KINDS.items() if name != CUT or _uses_torch(grader.assignment)}
    mutations = Mutations(solution, observed(grader, question), kinds)
    made = [*mutations.first_order, *mutations.second_order(PAIRS, seed=0)]
    said = words_read(grader.assignment, question)
    return [Wrong.of(mutant, said, solution) for mutant in made]


def _uses_torch(assignment: Assignment) -> bool:
    return any(name.partition(".")[0] == "torch" for name in imported_modules(assignment.release))


def words_read(assignment: Assignment, question: Question) -> set[str]:
    """Names that the release gives: as code in its text, and where a question is to be answered."""
    texts = [cell.source for cell in assignment.release.cells if cell.cell_type == "markdown"]
    spans = re.findall(r"`([^`\n]+)`", "\n".join(texts))
    stub = [cell.source for cell in assignment.release.cells if grade_id(cell) == question.slug]
    return set(re.findall(r"[A-Za-z_]\w+", "\n".join(spans + stub)))


def observed(grader: Grader, question: Question) -> dict[int, observing.Observation]:
    """What the expressions of the solution are while the notebook's visible check runs."""
    source = observing.instrumented(grader.dependencies.source(question.slug))
    cells = cells_of(grader, question.slug, source, visibly=True)
    cells.insert(0, nbformat.v4.new_code_cell(observing.PREPARATION, id="observing"))
    with grader.ran(cells) as session:
        session.begin(question.slug, "observing")
        return observing.observations(str(session.run(observing.notes)["notes"]))


def why_harmless(one: Wrong, known: Mapping[tuple[str, str] | str, str]) -> str:
    """Why a mutant is no wrong answer; one of the second order is none when neither part is."""
    parts = [text.split(" & ") for text in (one.was, one.becomes)]
    kinds = one.kind.split("+")
    if len(kinds) == 1 or {len(kinds)} != set(map(len, parts)):
        return known.get((one.was, one.becomes)) or known.get(one.kind, "")
    reasons = [
        known.get((was, becomes)) or known.get(kind, "")
        for kind, was, becomes in zip(kinds, *parts, strict=True)
    ]
    return ", and ".join(reasons) if all(reasons) else ""


def try_out(grader: Grader, question: Question, wrong: Sequence[Wrong]) -> Strength:
    """Grades each of `wrong` on its own question."""
    with Bench(grader, question) as bench:
        return _tried_out(grader, question, wrong, bench)


def _tried_out(
    grader: Grader, question: Question, wrong: Sequence[Wrong], bench: Bench
) -> Strength:
    strength = Strength(question)
    right = bench.of(grader.dependencies.source(question.slug)).heard
    harmless = equivalents(grader.assignment, question.slug)
    stored = load(replies_file(grader.assignment, question.slug)).known
    for one in wrong:
        found = bench.of(one.source, visibly=not one.name)
        strength.checks = [check.name for check in found.checks]
        label = one.name or _label(one, strength.killed)
        if one.kind:
            strength.kinds[label] = one.kind
        if one.kind in KINDS:
            strength.changes[label] = change(one.kind, one.word, found.replies, right)
        strength.killed[label] = found.failed
        strength.lost[label] = found.lost
        if one.price:
            strength.priced[label] = one.price
        if one.name:
            told = {check.misconception for check in found.checks}
            strength.named[one.name] = {name for name in told if name is not None}
            if not _is_stored(found, stored.get(one.name)):
                strength.stale.append(one.name)
            if found.failed and not found.evidence:
                strength.hanging.append(one.name)
        elif reason := why_harmless(one, harmless):
            strength.equivalent[label] = reason
        if found.fails_visibly and not found.failed and label not in strength.equivalent:
            strength.unpunished.append(label)
    if not _is_differentiable(grader.assignment, question):
        _leave_out_gradients(strength)
    return strength


def _is_differentiable(assignment: Assignment, question: Question) -> bool:
    """Whether a battery of the question asks an answer that gradients are to pass."""
    with closing(CheckPackage(assignment.checks)) as package:
        made = vars(package.module(assignment.check_file(question.slug))).values()
        return any(isinstance(one, Battery) and one.domain.differentiable for one in made)


def _leave_out_gradients(strength: Strength) -> None:
    """Calls mutants that cut gradients right, if no check of the question notices any of them."""
    cutting = [label for label, kind in strength.kinds.items() if {*kind.split("+")} == {CUT}]
    if not any(strength.killed[label] for label in cutting):
        for label in cutting:
            strength.equivalent.setdefault(label, "nothing here asks for gradients")


def _is_stored(found: Trial, known: Known | None) -> bool:
    """Whether a misconception replies as it did when its replies were stored."""
    return known is not None and alike(known.transcripts, found.evidence, OF_MACHINES)


def _label(one: Wrong, taken: dict[str, list[str]]) -> str:
    change = f"{one.was}  =>  {one.becomes or '(dropped)'}"
    change += f"  ({one.inside})" if one.inside else ""
    times = sum(label.startswith(change) for label in taken)
    return f"{change}  ({times + 1})" if times else change
