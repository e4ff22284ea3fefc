"""What an author may overlook in an assignment and no grading notices."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from autograder.authoring.equivalents import equivalents
from autograder.checking import Domain
from autograder.course.assignments import Assignment
from autograder.course.cells import CHECK_PREFIX, is_graded, name_of, parsed
from autograder.errors import UsageError
from autograder.grading.check_package import CheckPackage
from autograder.grading.parameters import functions

_ASKED_FOR = re.compile(r"""^check\(["']([^"']*)["']""", re.MULTILINE)
_MARKUP = re.compile(r"[*`$>|#]")


def oversights(assignment: Assignment) -> list[str]:
    """One sentence each, of an assignment whose check files can be imported."""
    found = [*_of_hidden_tests(assignment), *_of_check_files(assignment)]
    text = without_markup("\n".join(cell.source for cell in assignment.release.cells))
    with closing(CheckPackage(assignment.checks)) as package:
        for question in assignment.questions:
            path = assignment.check_file(question.slug)
            for name, made in vars(package.module(path)).items():
                if name.startswith(CHECK_PREFIX) and inspect.isfunction(made):
                    found += [f"{path.name}: {line}" for line in _of_a_check(name, made, text)]
                if isinstance(made, Domain) and (line := _of_a_domain(made, assignment)):
                    found.append(f"{path.name}: {line}")
    try:
        equivalents(assignment, "")
    except UsageError as error:
        found.append(str(error))
    return found


def without_markup(text: str) -> str:
    """The words of a text as they are compared with what a check quotes."""
    return " ".join(_MARKUP.sub("", text).split())


def _of_hidden_tests(assignment: Assignment) -> Iterator[str]:
    if not assignment.source_path.is_file():
        return
    for cell in filter(is_graded, assignment.solved.cells):
        for slug in _ASKED_FOR.findall(cell.source):
            if not assignment.check_file(slug).is_file():
                yield (
                    f"the cell {name_of(cell)} in source/ asks for check({slug!r}), and no "
                    "question is called so"
                )


def _of_check_files(assignment: Assignment) -> Iterator[str]:
    wanted = {assignment.check_file(question.slug).name for question in assignment.questions}
    for path in sorted(assignment.checks.glob(f"{CHECK_PREFIX}*.py")):
        if path.name not in wanted:
            yield (
                f"{path.name} is asked by nobody: the release has no graded cell {path.stem} "
                "(its grade_id) with points"
            )


def _of_a_domain(domain: Domain, assignment: Assignment) -> str:
    """That students would read of inputs by names that their answer does not have, if so."""
    takes = None if domain.call or domain.make else _parameters(domain, assignment)
    if takes is None or not (strange := [name for name in domain.inputs if name not in takes]):
        return ""
    return (
        f"the domain calls an input `{strange[0]}`, and `{domain.answer}` takes "
        f"{', '.join(takes)}: students read these names"
    )


def _parameters(domain: Domain, assignment: Assignment) -> list[str] | None:
    """What the solution is called with; None where that is not plain."""
    called = f"{domain.answer}.forward" if domain.is_class else domain.answer
    sources = [cell.source for cell in assignment.solved.cells if cell.cell_type == "code"]
    defined = (one for source in sources for one in functions(parsed(source)))
    taken = [args for name, args in defined if name == called]
    if not taken or taken[-1].vararg or taken[-1].kwarg:
        return None
    names = [one.arg for one in (*taken[-1].posonlyargs, *taken[-1].args, *taken[-1].kwonlyargs)]
    return names[1:] if domain.is_class else names


def _of_a_check(name: str, check: Any, text: str) -> Iterator[str]:
    if not (check.__doc__ or "").strip():
        yield f"{name} has no docstring, whose first line tells students what it looks at"
    for mark in getattr(check, "pytestmark", ()):
        quoted = mark.kwargs.get("text", "")
        if without_markup(quoted).casefold() not in text.casefold():
            yield f"{name} rests on {quoted!r}, which does not stand in the notebook"
