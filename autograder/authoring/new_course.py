"""A new course, and a new assignment in a course: copies of templates, which run as they are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from string import Template

from autograder.course.assignments import CHECKS, CONFIG_NAME, Course
from autograder.errors import UsageError

TEMPLATES = Path(__file__).parent / "templates"
SUFFIX = ".template"  # of what is filled in before it is written
FIRST = "a1_softmax"
EQUIVALENTS = "equivalents.toml"


def create_course(folder: Path) -> Course:
    """A course in `folder`: its configuration, a README and one assignment.

    Raises:
        UsageError: something is there already, or the folder cannot be written.
    """
    if _taken(folder) and not (folder.is_dir() and _is_empty(folder)):
        raise UsageError(f"{folder} exists and is not empty: name a folder that is new or empty")
    title = folder.resolve().name
    values = {"course_id": repr(title), "title": title, "assignment": FIRST}
    for name in (CONFIG_NAME, "README.md", "gitignore"):
        text = (TEMPLATES / "course" / f"{name}{SUFFIX}").read_text(encoding="utf-8")
        written = folder / (".gitignore" if name == "gitignore" else name)
        _write(written, Template(text).substitute(values).encode())
    course = Course(folder)
    create_assignment(course, FIRST, stays=True)
    return course


def create_assignment(course: Course, name: str, *, stays: bool = False) -> list[Path]:
    """Adds an assignment of two questions to the course; the folders that hold it.

    Args:
        stays: whether it is kept as an example. Where others take the place of its questions, what
            is listed of their mutants would name questions that are not there.

    Raises:
        UsageError: the name cannot be used or is taken, or a folder cannot be written.
    """
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]*", name):
        raise UsageError(
            f"an assignment cannot be called {name!r}: "
            "use letters, digits, _ and -, but no - in front"
        )
    source, checks = course.root / "source" / name, course.root / CHECKS / name
    for taken in (source, checks, course.root / "release" / name):
        if _taken(taken):
            raise UsageError(f"{taken} exists already: choose another name for the new assignment")
    template = TEMPLATES / "assignment"
    _write(source / f"{name}.ipynb", (template / "notebook.ipynb").read_bytes())
    for path in sorted(template.rglob("*.py")):
        _write(checks / path.relative_to(template), path.read_bytes())
    listed = (template / EQUIVALENTS).read_bytes()
    _write(checks / EQUIVALENTS, listed if stays else _commented_out(listed))
    return [source, checks]


def _commented_out(lines: bytes) -> bytes:
    return re.sub(rb"(?m)^(?=[^#\n])", b"# ", lines)


def _taken(path: Path) -> bool:
    """Whether something has this name, be it a link that leads nowhere."""
    with _told(path):
        return os.path.lexists(path)


def _is_empty(folder: Path) -> bool:
    with _told(folder):
        return not any(folder.iterdir())


def _write(path: Path, data: bytes) -> None:
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Tells what the system refuses to do with `path`."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
