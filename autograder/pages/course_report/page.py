"""The course report: one page for the instructor on all assignments of a course, side by side.

As in the class report everything is escaped, and the page has no script and a policy that forbids
any.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from autograder.course.assignments import Course
from autograder.files import expect_folder_of
from autograder.pages.class_report.rendering import REPORTS, environment, link, own_page, write_page
from autograder.pages.course_report.behind import FALL, LAST
from autograder.pages.course_report.gathering import Cell, CourseResults, gather_course
from autograder.pages.inert import POLICY

TEMPLATES = Path(__file__).parent / "templates"
NAME = "course"


def write_course_report(course: Course, output: Path | None) -> Path:
    """Writes the report on the whole course; without `output`, to its `reports/`.

    Raises:
        UsageError: nothing has been graded, or the file cannot be written.
    """
    if output is not None:
        expect_folder_of(output)
    made = datetime.now().astimezone()
    found = gather_course(course, made)
    path = output or own_page(course, NAME)
    return write_page(path, page(found, course.root / REPORTS, path.parent, made))


def page(found: CourseResults, reports: Path, folder: Path, made: datetime) -> str:
    """The report as HTML, for a file in `folder`; the class reports lie in `reports`."""
    pages = {one.name: reports / f"{one.name}.html" for one in found.assignments}

    def feedback(cell: Cell) -> str | None:
        """The address of a feedback page; None where there is none."""
        at = cell.standing and cell.standing.feedback
        return link(at, folder) if at else None

    return (
        environment(TEMPLATES)
        .get_template("course.html.j2")
        .render(
            policy=POLICY,
            made=made,
            found=found,
            feedback=feedback,
            reports={name: link(path, folder) for name, path in pages.items() if path.is_file()},
            fall=FALL,
            last=LAST,
        )
    )
