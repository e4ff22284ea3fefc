"""What all pages for instructors share: how they are rendered, and where they are written.

Names of students and what they wrote reach these pages: templates escape everything.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.course.assignments import Course
from autograder.errors import UsageError
from autograder.pages.class_report import item_analysis
from autograder.pages.prose import names_as_code
from autograder.results import sentences
from autograder.results.plain import encodable, plain

TEMPLATES = Path(__file__).parent / "templates"
REPORTS = "reports"


def expect_graded(assignment: str, graded: int, ungraded: int) -> None:
    """Says so where there is nothing to report on.

    Raises:
        UsageError: no submission has been graded.
    """
    if not graded:
        handed_in = f"{ungraded} handed in" if ungraded else "none handed in"
        raise UsageError(
            f"no submission of {assignment} has been graded ({handed_in}): "
            f"run `nbgrader autograde {assignment}` first"
        )


def own_page(course: Course, name: str) -> Path:
    """Where a page lies that is no class report, even if an assignment has its name."""
    while name in course.released_ids():
        name += "-page"
    return course.root / REPORTS / f"{name}.html"


def write_page(path: Path, text: str) -> Path:
    """Writes a page of the instructor's; its folder is made, if only that is missing.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        path.parent.mkdir(exist_ok=True)
        path.write_text(encodable(text), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    return path


def link(target: Path, folder: Path) -> str:
    """The address of `target` on a page that lies in `folder`."""
    return quote(os.fsencode(os.path.relpath(target, folder.resolve())))


def environment(*others: Path) -> Environment:
    """What renders the class report's templates, and those in other folders, which may use them."""
    made = Environment(
        loader=FileSystemLoader([*others, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        number=_number,
        percent=_percent,
        signed=_signed,
        strength=_strength,
        shown=plain,
        slug=_slug,
        sentence=_sentence,
        listed=sentences.listed,
    )
    made.globals["share"] = item_analysis.share
    return made


def _number(value: float) -> str:
    """At most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def _percent(value: float) -> str:
    return f"{100 * value:.0f}\N{NO-BREAK SPACE}%"


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "\N{MINUS SIGN}")


def _strength(discrimination: float) -> str:
    """The word for a discrimination (R. L. Ebel, Measuring Educational Achievement, 1965)."""
    if discrimination < 0:
        return "negative"
    return "strong" if discrimination >= 0.4 else "fair" if discrimination >= 0.2 else "weak"


def _slug(text: str) -> Markup:
    """A slug that may be broken after its underscores."""
    return escape(plain(text)).replace("_", Markup("_<wbr>"))


def _sentence(text: str) -> Markup:
    """A sentence whose `names` are set as code."""
    return names_as_code(plain(text))
