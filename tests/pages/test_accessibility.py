"""Every page can be used by everybody: axe-core finds nothing, and a keyboard is enough."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from accessible import barriers
from browser import running_browser
from conftest import A1, ROOT, SAMPLES, GraderOf, build, read_sample
from playwright.sync_api import Browser
from similar_class import class_of, every, leave_graded, renamed

from autograder.cli import main
from autograder.course.assignments import Course
from autograder.course.gradebook import Entry, Grade
from autograder.pages import pieces
from autograder.pages.feedback.exporter import FeedbackExporter
from autograder.pages.preview.changes import Preview, Recorded, preview_of
from autograder.pages.preview.page import write_preview
from autograder.results.fingerprint import Fingerprint
from autograder.results.history import History
from autograder.results.model import (
    CheckResult,
    Diagnosis,
    Graded,
    QuestionResult,
    SubmissionResult,
)
from autograder.results.stored import write_result

REPORTS = [A1, f"{A1}-similar", f"{A1}-preview", "course"]
PAGES = ["feedback.html", *(f"reports/{name}.html" for name in REPORTS)]
DOCS = sorted(path.stem for path in (ROOT / "docs").glob("*.md"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory, grader_of: GraderOf) -> Path:
    """A course with every page that the engine makes, of a class that did well and badly."""
    folder = tmp_path_factory.mktemp("everything")
    for step in ("release", "source"):
        shutil.copytree(ROOT / step / A1, folder / step / A1)
    (folder / "nbgrader_config.py").write_text("c = get_config()\n")
    sample = read_sample(SAMPLES / A1 / "wrong" / "half_done.py")
    graded = grader_of(A1).grade(build(sample, A1), sample.name)
    (folder / "feedback.html").write_text(feedback(graded, folder), encoding="utf-8")
    students = class_of(12)
    students["demo-copy"] = every(renamed)(students["demo-003"], Random(0))
    for student, answers in students.items():
        leave_graded(folder, student, answers, *graded.result.questions)
    told, unnamed = mistakes()
    for student in ("demo-same-a", "demo-same-b"):
        History(folder, A1).add(student, "earlier", replace(graded.result, questions=[told]))
        leave_graded(folder, student, students["demo-004"], unnamed)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["report", A1]) == 0
        assert main(["report", A1, "--similar"]) == 0
        assert main(["report"]) == 0
    write_preview(Course(folder), preview())
    return folder


def preview() -> Preview:
    """Of a class of which some would gain, some would lose, and one has a score by hand."""

    def recorded(score: float, by_hand: float | None = None) -> Recorded:
        grade = Grade(A1, "check_attention", score, by_hand, None, by_hand is not None, 10.0)
        check = CheckResult("check_values", "The values are right.", 5.0, passed=score >= 5)
        question = QuestionResult("attention", "wrong", score, 10.0, [check])
        result = SubmissionResult(A1, "x", "graded", score, 10.0, "full", 1.0, [], [question])
        return Recorded(Entry(None, 0.0, "", [grade], []), result)

    before = {f"demo-{n}": recorded(float(n)) for n in range(10)} | {"demo-hand": recorded(2.0, 6)}
    after = {f"demo-{n}": recorded((3.0 * n) % 10) for n in range(10)}
    after |= {"demo-hand": recorded(7.0, 6.0), "demo-new": recorded(5.0)}
    return preview_of(A1, before, after, {"demo-odd": "it is no notebook"}, {})


def mistakes() -> tuple[QuestionResult, QuestionResult]:
    """A wrong answer whose mistake is told, and one that nothing names."""
    failed = CheckResult("values", "The values are right.", 5.0, False, "They are not.", "wrong")
    named = replace(failed, diagnosis=Diagnosis("misconception", "late", "Too late."))
    told, unnamed = (QuestionResult("attention", "wrong", 0.0, 5.0, [c]) for c in (named, failed))
    return told, replace(unnamed, fingerprint=Fingerprint("0a", [1.0]))


def test_the_class_report_has_all_of_its_parts(everything: Path) -> None:
    page = (everything / "reports" / f"{A1}.html").read_text()
    for part in ('class="topics groups"', '<pre class="answer"', '<table class="sentences"'):
        assert part in page


def feedback(graded: Graded, folder: Path) -> str:
    """The feedback page of a verdict, which is left in `folder`."""
    write_result(folder, graded.result)
    for cell in graded.notebook.cells:
        if cell.id.startswith("check_"):
            question = graded.result.question(cell.id.removeprefix("check_"))
            cell.metadata.nbgrader.update(score=question.score)
    names = {"assignment": A1, "notebook": A1, "student": "demo-student"}
    resources = {"nbgrader": names, "metadata": {"path": str(folder)}}
    text, _ = FeedbackExporter().from_notebook_node(graded.notebook, resources)
    return str(text)


@pytest.mark.parametrize("name", PAGES)
def test_nothing_on_a_page_stands_in_anybodys_way(
    name: str, everything: Path, browser: Browser
) -> None:
    assert barriers(browser, everything / name) == []


@pytest.mark.parametrize("name", [*DOCS, "search"])
def test_nothing_on_a_page_of_the_docs_stands_in_anybodys_way(
    name: str, site: Path, browser: Browser
) -> None:
    assert barriers(browser, site / f"{name}.html") == []


@pytest.mark.parametrize(
    ("escape", "shown"),
    [
        ("38;5;28", "ansi-green-fg"),  # IPython's keywords
        ("38;5;66", "ansi-white-fg"),  # and comments
        ("1;38;5;241", "ansi-white-intense-fg ansi-bold"),
        ("38;5;12;48;5;9", "ansi-blue-fg ansi-red-bg"),
        ("38;2;200;30;220", "ansi-magenta-fg"),
        ("31", "ansi-red-fg"),
    ],
)
def test_a_terminals_many_colours_become_those_with_contrast(escape: str, shown: str) -> None:
    assert pieces.terminal(f"\x1b[{escape}mfor\x1b[0m") == f'<span class="{shown}">for</span>'


def test_what_may_scroll_can_be_reached_and_no_header_is_empty() -> None:
    table = '<table><tr><th></th><th scope="col"> </th><th>a</th></tr></table>'
    made = pieces.fitted(f"{table}<pre>x</pre>")
    assert made.count("<th") == 1
    assert made.count("<td") == 2
    assert '<pre tabindex="0">' in made
    markup, _ = pieces.markdown("$$x$$ and $y$", {}, True, 1000)
    assert markup.count('tabindex="0"') == 1


BAD = """<!DOCTYPE html><title>x</title><p style="color: #bbb">pale</p><img src="data:,">
<details><summary tabindex="-1">more</summary></details>"""


def test_what_stands_in_the_way_is_found(tmp_path: Path, browser: Browser) -> None:
    (tmp_path / "bad.html").write_text(BAD)
    found = "\n".join(barriers(browser, tmp_path / "bad.html"))
    for rule in ("color-contrast", "image-alt", "html-has-lang", "the keyboard does not reach"):
        assert rule in found
    assert "light and dark are both" in found
