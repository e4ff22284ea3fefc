"""A generated class of 200 with planted mistakes that nothing names, in several styles."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from autograder.authoring.notebooks import notebook_with
from autograder.authoring.strength import observed
from autograder.course.assignments import Question
from autograder.grading.change_library import fingerprint
from autograder.grading.grader import Grader
from autograder.grading.mutations import Mutations
from autograder.grading.transcripts import Transcripts, alike
from autograder.grading.trial import Trial, trial
from autograder.results.history import History
from autograder.results.model import QuestionResult, SubmissionResult, severest
from autograder.results.stored import write_result

SIZES = (30, 17, 9, 6, 5)
CLASS = 200
NAME = "annika"
"""A part of every student's name, and of what they write."""


def _signed(source: str, slug: str) -> str:
    """With comments, docstring and names of the student's own."""
    tree = ast.parse(source)
    own = {
        node.id: f"{NAME}_{node.id}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = own.get(node.id, node.id)
        if isinstance(node, ast.Lambda):
            for argument in node.args.args:
                argument.arg = own.get(argument.arg, argument.arg)
        if isinstance(node, ast.FunctionDef):
            node.body.insert(0, ast.Expr(ast.Constant(f"By {NAME}.")))
    return f"# {NAME} wrote this\n{ast.unparse(tree)}"


def _noisy(source: str, slug: str) -> str:
    """With numbers that are a millionth off, as another order of sums makes them."""
    return f"""{source}

{NAME}_first = {slug}

def {slug}(*given, **named):
    found = {NAME}_first(*given, **named)
    return tuple(one * (1 + 1e-6) for one in found) if isinstance(found, tuple) else found
"""


STYLES: dict[str, Callable[[str, str], str]] = {
    "as it is": lambda source, slug: source,
    "signed": _signed,
    "noisy": _noisy,
    "signed and noisy": lambda source, slug: _signed(_noisy(source, slug), slug),
}


def _are_apart(its: Transcripts, planted: Sequence[Transcripts]) -> bool:
    """Whether no check has heard of one what it has heard of a planted one."""
    return not any(
        alike({check: said}, {check: one[check]})
        for one in planted
        for check, said in its.items()
        if check in one
    )


@dataclass
class UnnamedClass:
    """Who handed in what.

    Attributes:
        planted: the sources of the planted mistakes.
        others: the sources of other wrong answers.
        students: by planted mistake, those who made it.
    """

    grader: Grader
    question: Question
    planted: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    students: list[list[str]] = field(default_factory=list)

    @property
    def slug(self) -> str:
        return self.question.slug

    def tried(self, source: str) -> Trial:
        return trial(self.grader, self.question, source)

    def plant(self, most: int = len(SIZES), others: int = 8) -> None:
        """Finds second-order mutants that nothing names, of which no two reply alike.

        The others share no check's replies with a planted one, of which they are no part then.
        """
        solution = self.grader.dependencies.source(self.slug)
        mutations = Mutations(solution, observed(self.grader, self.question))
        replies: list[Transcripts] = []
        planted: list[Transcripts] = []
        candidates: dict[str, Transcripts] = {}
        for mutant in mutations.second_order(200, seed=7):
            found = self.tried(mutant.source)
            failed = {name: found.heard.get(name, []) for name in found.failed}
            wrong = any(check.status == "wrong" for check in found.checks)
            named = any(check.diagnosis for check in found.checks)
            new = not any(alike(failed, other) for other in replies)
            replies.append(failed)
            if not (failed and new):
                continue
            if wrong and not named and len(self.planted) < most:
                self.planted.append(mutant.source)
                planted.append(failed)
            else:
                candidates[mutant.source] = failed
            apart = [source for source, its in candidates.items() if _are_apart(its, planted)]
            self.others = apart[:others]
            if len(self.planted) == most and len(self.others) == others:
                return

    def hand_in(self, root: Path) -> None:
        """Records the class in the course at `root` as both roads do."""
        names = (f"{NAME}-{number:03}" for number in range(CLASS))
        for source, size in zip(self.planted, SIZES, strict=True):
            found = [self.tried(written(source, self.slug)) for written in STYLES.values()]
            group = [next(names) for _ in range(size)]
            self.students.append(group)
            for place, student in enumerate(group):
                style = list(STYLES.values())[place % len(STYLES)]
                self._record(root, student, found[place % len(STYLES)])
                answer = style(source, self.slug)
                notebook = notebook_with(
                    self.grader.assignment, self.slug, answer, "as the solution"
                )
                nbformat.write(notebook, self._folder(root, student) / f"{self._id}.ipynb")
        for source in self.others:
            other = self.tried(source)
            for student in (next(names), next(names)):
                self._record(root, student, other)
        right = self.tried(self.grader.dependencies.source(self.slug))
        for student in names:
            self._record(root, student, right)

    @property
    def _id(self) -> str:
        return self.grader.assignment.id

    def _folder(self, root: Path, student: str) -> Path:
        return root / "autograded" / student / self._id

    def _record(self, root: Path, student: str, found: Trial) -> None:
        status = severest(check.status for check in found.checks)
        points = sum(check.points for check in found.checks if check.passed)
        printed = fingerprint(found.checks, found.heard)
        verdict = QuestionResult(
            self.slug, status, points, self.question.points, found.checks, fingerprint=printed
        )
        result = SubmissionResult(
            *(self._id, student, "graded", points, self.question.points, "full", 1.0, []),
            [verdict],
        )
        self._folder(root, student).mkdir(parents=True)
        write_result(self._folder(root, student), result)
        History(root, self._id).add(student, student, result)

    def in_styles(self) -> Iterator[tuple[int, Trial]]:
        """Every planted mistake in every style, judged anew."""
        for number, source in enumerate(self.planted):
            for written in STYLES.values():
                yield number, self.tried(written(source, self.slug))
