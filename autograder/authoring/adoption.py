"""A wrong answer that several students gave becomes a misconception.

Theory of operation. The class report groups answers by the fingerprints of their replies. One of a
group, made anonymous, is judged as the mutants are, alone with the instructor's other answers: it
is taken only when it replies as the group does and would be told by its own name. Its code goes
into a file of its own, its replies to those that are stored of the question. It has no sentence, so
students are told nothing until the instructor writes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat

from autograder.authoring.anonymous import Vocabulary, anonymous
from autograder.checking.misconceptions import Misconception, misconceptions, replies_file
from autograder.course.assignments import Assignment, Course, Question
from autograder.course.cells import grade_id
from autograder.course.settings import read_config, settings_of
from autograder.errors import UsageError
from autograder.files import write_whole
from autograder.grading.change_library import fingerprint
from autograder.grading.grader import Grader
from autograder.grading.mistakes import Cases, Known, Mistakes, as_bytes, by_case, known, load
from autograder.grading.readiness import ready_grader
from autograder.grading.recognition import name_misconceptions
from autograder.grading.trial import trial
from autograder.pages.class_report.gathering import ClassResults, gather
from autograder.pages.class_report.groups import Group, unnamed
from autograder.results.fingerprint import Fingerprint

TRIED = 8
"""Answers of a group that are tried: one may rest on what is not in its cell."""

_FILE = '''"""A wrong answer that {count} students gave, found in the class report."""

from __future__ import annotations

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        "{name}",
        "",
        code="""\\
{code}""",
    )
]
'''


@dataclass(frozen=True)
class Adopted:
    """A misconception to be, what it replies, and what the right answer does."""

    misconception: Misconception
    known: Known
    right: Cases


def adopt(course: Course, assignment_id: str, group_name: str, name: str | None) -> Path:
    """Makes a group of wrong answers a misconception called `name`; returns its file.

    Without a name it is `adopted_` and the last part of the group's.

    Raises:
        UsageError: there is no such group, it cannot be told from others, or the name is taken.
        Ungraded: grading would not be safe or true.
    """
    assignment = course.assignment_with_checks(assignment_id)
    found = gather(course, assignment_id)
    group = _group(found, group_name)
    question = assignment.question(group.slug)
    name = name or f"adopted_{group_name.rpartition('-')[2]}"
    path = _free_path(assignment, group.slug, name)
    with ready_grader(course, assignment, settings_of(read_config(course.root))) as grader:
        adopted = _adopted(grader, question, group, found, name)
    _write(assignment, group, adopted, path)
    return path


def _group(found: ClassResults, name: str) -> Group:
    groups = unnamed(found).groups
    for group in groups:
        if group.is_called(name):
            if not group.has_replied:
                raise UsageError(
                    f"the answers of {name} raised an error, which their students read already: "
                    "only answers that reply can be adopted"
                )
            return group
    names = ", ".join(group.name for group in groups if group.has_replied) or "none"
    raise UsageError(f"no group '{name}' in the class report of {found.assignment}: it has {names}")


def _free_path(assignment: Assignment, slug: str, name: str) -> Path:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name):
        raise UsageError(
            f"'{name}' cannot be a misconception's name: use small letters, digits and _"
        )
    path = assignment.misconceptions_file(slug).with_suffix("") / f"{name}.py"
    if path.exists() or any(one.name == name for one in misconceptions(assignment, slug)):
        raise UsageError(f"{slug} has a misconception {name} already: give another `--name`")
    return path


def _adopted(
    grader: Grader, question: Question, group: Group, found: ClassResults, name: str
) -> Adopted:
    """The first answer of the group that can stand for all of them."""
    slug = question.slug
    right = trial(grader, question, grader.dependencies.source(slug)).heard
    notebooks = [grader.assignment.release, grader.assignment.solved]
    vocabulary = Vocabulary(notebooks, [*found.autograded, *found.ungraded])
    prints = [
        attempts[-1].answers[slug].fingerprint
        for student in group.students
        if (attempts := found.history.get(student))
    ]
    for code in _codes(grader, group, found):
        bare = anonymous(code, vocabulary)
        tried = trial(grader, question, bare)
        printed = fingerprint(tried.checks, tried.heard)
        if not bare or printed is None or not _is_one_of(printed, prints):
            continue
        its = known(tried.evidence, right)
        one = Misconception(name, "", code=bare)
        listed = {other.name: other for other in misconceptions(grader.assignment, slug)}
        library = load(replies_file(grader.assignment, slug)).known
        if twins := [other for other, kept in library.items() if kept.equals(its)]:
            raise UsageError(
                f"the misconception {twins[0]} of {slug} replies as these answers do: "
                f"`autograder batch {grader.assignment.id}` gives them its name"
            )
        library[name] = its
        told = name_misconceptions(tried.checks, tried.heard, library, {**listed, name: one})
        if any(check.misconception == name for check in told):
            return Adopted(one, its, by_case(right))
    raise UsageError(
        f"no answer of {group.name} can stand for the others: alone and made anonymous, none "
        "replies as they do, or its replies tell it from no other mistake; write the misconception "
        f"by hand, into {grader.assignment.misconceptions_file(slug)}"
    )


def _is_one_of(mine: Fingerprint, prints: list[Fingerprint | None]) -> bool:
    return any(its is not None and mine.equals(its) for its in prints)


def _codes(grader: Grader, group: Group, found: ClassResults) -> Iterator[str]:
    """The answers of a group, each alone, then with the cells of the student's own beneath it."""
    for student in group.students[:TRIED]:
        if not found.autograded[student].is_file():
            continue
        notebook = nbformat.read(found.autograded[student], as_version=4)
        cells = grader.dependencies.of(notebook).cells(group.slug)
        own = [cell.source for cell in cells[:-1] if grade_id(cell) is None]
        yield str(cells[-1].source)
        if own:
            yield "\n\n".join([*own, cells[-1].source])


def _write(assignment: Assignment, group: Group, adopted: Adopted, path: Path) -> None:
    """Stores code and replies, or nothing; no file is overwritten."""
    one = adopted.misconception
    code = one.code.replace("\\", "\\\\").replace('"""', r"\"\"\"")
    text = _FILE.format(count=len(group.students), name=one.name, code=code)
    replies = replies_file(assignment, group.slug)
    every = {**load(replies).known, one.name: adopted.known}
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)
    try:
        write_whole(replies, as_bytes(Mistakes(every, adopted.right)))
    except BaseException:
        path.unlink()
        raise
