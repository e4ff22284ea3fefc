"""The class report: what it gathers, what it shows, and that nothing of a student runs in it."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest
from html_page import Page, expect_inert, expect_usable_without_sight
from nbgrader.api import Gradebook
from sqlalchemy.exc import SAWarning

from autograder.cli import main
from autograder.course.assignments import Course
from autograder.errors import UsageError
from autograder.pages.class_report.gathering import gather
from autograder.results.model import CheckResult, Diagnosis, QuestionResult, SubmissionResult

ID = "ps1"
HOSTILE = ["<script>alert(1)", '" onmouseover="alert(2)', "x' & y", "\N{RIGHT-TO-LEFT OVERRIDE}z"]
SENTENCE = "Your `softmax` runs over the queries. Ask which axis sums to one."
SECTIONS = ["next", "questions", "sentences", "students", "unfinished", "flags", "slowest"]


def questions(earned: int, misconception: str | None) -> list[QuestionResult]:
    """Two questions of three and one points, of which `earned` are earned."""
    checks = [
        CheckResult(
            name=f"check{place}",
            title=f"The `value` {place} is right.",
            points=1.0,
            passed=place < earned,
            message="" if place < earned else "</p><img src=x onerror=alert(3)>",
            status="ok" if place < earned else "wrong",
            diagnosis=(
                Diagnosis("misconception", misconception, SENTENCE)
                if misconception and place >= earned
                else None
            ),
        )
        for place in range(4)
    ]
    return [
        QuestionResult(
            slug,
            "ok" if all(check.passed for check in part) else "wrong",
            float(sum(check.passed for check in part)),
            float(len(part)),
            part,
        )
        for slug, part in (("self_attention", checks[:3]), ("mask", checks[3:]))
    ]


def put_result(
    root: Path,
    student: str,
    earned: int,
    *,
    flags: tuple[str, ...] = (),
    reason: str = "",
    misconception: str | None = None,
) -> Path:
    """Puts the result of a graded submission where `nbgrader autograde` leaves it."""
    result = SubmissionResult(
        assignment=ID,
        submission=f"{student}/{ID}",
        status="ungraded" if reason else "graded",
        score=float(earned),
        max_score=4.0,
        sandbox="full",
        seconds=1.5 + earned,
        flags=list(flags),
        questions=questions(earned, misconception),
        reason=reason,
    )
    folder = root / "autograded" / student / ID
    folder.mkdir(parents=True)
    path = folder / "result.json"
    path.write_text(json.dumps(result.as_dict()))
    return path


def hand_in(root: Path, student: str, name: str = f"{ID}.ipynb") -> Path:
    path = root / "submitted" / student / ID / name
    path.parent.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(), path)
    return path


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with one released assignment and no submissions; the working folder."""
    folder = tmp_path / "a course [1]"
    (folder / "release" / ID).mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(), folder / "release" / ID / f"{ID}.ipynb")
    (folder / "nbgrader_config.py").write_text("c = get_config()\n")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return folder


@pytest.fixture
def hostile_class(root: Path) -> Path:
    """Thirty graded students, four of them with names that want to be markup."""
    for place in range(26):
        student = f"demo-{place:02}"
        name = "softmax_over_queries" if place in (3, 7, 12) else None
        put_result(root, student, place % 5, misconception=name)
    for name in HOSTILE:
        put_result(root, name, 2, flags=(f"cell <script>{name} was <b>moved</b>",))
    return root


@pytest.fixture
def page(hostile_class: Path) -> Page:
    assert main(["report", ID]) == 0
    return Page(hostile_class / "reports" / f"{ID}.html")


def test_the_page_has_every_section_and_what_it_holds(page: Page) -> None:
    ids = [attributes["id"] for attributes in page.all("section")]
    assert ids == SECTIONS
    for words in ("What to talk about next", "Distribution of scores", "30", "Slowest submissions"):
        assert words in page.said
    assert "Softmax over queries 3 of 30" in page.said
    assert SENTENCE.replace("`", "") in page.said
    assert "The value 3 is right." in page.said


def test_no_name_message_or_flag_of_a_student_becomes_markup(page: Page) -> None:
    assert page.all("b") == []
    for name in HOSTILE:
        assert name in page.text
    assert "</p><img src=x onerror=alert(3)>" in page.said
    assert "cell <script>" in page.said


def test_names_are_isolated_so_that_they_turn_no_other_text_around(page: Page) -> None:
    for piece in page.source.split("\N{RIGHT-TO-LEFT OVERRIDE}z")[:-1]:
        assert piece.endswith("<bdi>") or "cell &lt;script&gt;" in piece[-40:]


def test_the_policy_forbids_scripts_and_everything_fetched(page: Page) -> None:
    expect_inert(page)


def test_the_page_is_usable_without_sight(page: Page) -> None:
    expect_usable_without_sight(page)


def test_rarer_misconceptions_are_folded_away(root: Path) -> None:
    for place in range(8):
        put_result(root, f"demo-{place}", 2, misconception=f"slip_{place}")
    assert main(["report", ID]) == 0
    page = Page(root / "reports" / f"{ID}.html")
    assert "2 more, each shown by 1 student" in page.said
    assert all(f"Slip {place} 1 of 8" in page.said for place in range(8))


def test_the_histogram_is_told_in_words_too(page: Page) -> None:
    # 26 students earn 0 to 4 of 4 points in turn, the four hostile ones 2.
    assert "6 students from 0 to 10 %; 5 students from 20 to 30 %; 9 students from 50 to 60 %" in (
        page.said
    )


def test_students_come_best_first_and_lead_to_their_feedback_page(hostile_class: Path) -> None:
    for student in ("demo-04", HOSTILE[1]):
        feedback = hostile_class / "feedback" / student / ID / f"{ID}.html"
        feedback.parent.mkdir(parents=True)
        feedback.write_text("feedback")
    assert main(["report", ID]) == 0
    page = Page(hostile_class / "reports" / f"{ID}.html")
    links = {found["href"] for found in page.all("a") if not found["href"].startswith("#")}
    assert len(links) == 2
    for link in links:
        target = hostile_class / "reports" / unquote(link)
        assert target.read_text() == "feedback"
    students = page.source[page.source.index('<section id="students"') :]
    assert students.index("demo-04") < students.index("demo-03") < students.index("demo-00")


def test_discrimination_needs_four_students(root: Path) -> None:
    for student, earned in (("demo-a", 4), ("demo-b", 3), ("demo-c", 0)):
        put_result(root, student, earned)
    assert main(["report", ID]) == 0
    assert "too few students" in Page(root / "reports" / f"{ID}.html").said
    put_result(root, "demo-d", 0)
    assert main(["report", ID]) == 0
    page = Page(root / "reports" / f"{ID}.html")
    assert "too few students" not in page.said
    assert "+1.00" in page.said


def test_a_submission_without_a_verdict_is_listed_with_what_stands_in_the_way(root: Path) -> None:
    put_result(root, "demo-a", 4)
    put_result(root, "demo-b", 0, reason="the disk is full")
    hand_in(root, "demo-c")
    one = hand_in(root, "demo-d", "homework (1).ipynb")
    one.with_name("homework (2).ipynb").write_text(one.read_text())
    hand_in(root, "demo-i", "homework (1).ipynb")
    hand_in(root, "demo-e").write_text("{")
    link = root / "submitted" / "demo-f" / ID / f"{ID}.ipynb"
    link.parent.mkdir(parents=True)
    link.symlink_to("/etc/hostname")
    put_result(root, "demo-g", 4).write_text('{"score": NaN}')
    put_result(root, "demo-h", 4).write_text("[]")
    found = gather(Course(root), ID)
    assert [standing.student for standing in found.standings] == ["demo-a"]
    for student, words in [
        ("demo-b", "the disk is full"),
        ("demo-c", "`nbgrader autograde` has not graded it yet"),
        ("demo-d", "ps1.ipynb is missing, and the folder holds homework (1).ipynb, homework (2)"),
        ("demo-i", "`nbgrader autograde` has not graded it yet"),
        ("demo-e", "It was refused: ps1.ipynb is not a Jupyter notebook"),
        ("demo-f", "It was refused: ps1.ipynb is a link"),
        ("demo-g", "result.json cannot be read"),
        ("demo-h", "result.json cannot be read"),
    ]:
        assert words in found.ungraded[student]
    assert str(root) not in "".join(found.ungraded.values())
    assert main(["report", ID]) == 0
    page = Page(root / "reports" / f"{ID}.html")
    assert "Graded 1 Ungraded 8" in page.said
    assert all(student in page.said for student in found.ungraded)


@pytest.fixture
def gradebook(root: Path) -> Iterator[Gradebook]:
    """The course's gradebook, with a check of four points and an essay of six."""
    with Gradebook(f"sqlite:///{root}/gradebook.db") as opened:
        opened.add_assignment(ID)
        opened.add_notebook(ID, ID)
        opened.add_grade_cell("check_mask", ID, ID, max_score=4, cell_type="code")
        opened.add_grade_cell("essay", ID, ID, max_score=6, cell_type="markdown")
        yield opened


def record(gradebook: Gradebook, student: str, essay: float | None, penalty: float = 0) -> None:
    """Four points for the check; without `essay` a person still has to grade that."""
    gradebook.add_student(student)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # nbgrader's own query
        gradebook.add_submission(ID, student)
    gradebook.find_submission_notebook(ID, ID, student).late_submission_penalty = penalty
    check = gradebook.find_grade("check_mask", ID, ID, student)
    check.auto_score, check.needs_manual_grade = 4.0, False
    written = gradebook.find_grade("essay", ID, ID, student)
    written.manual_score, written.needs_manual_grade = essay, essay is None
    gradebook.db.commit()


def test_totals_are_the_gradebooks_with_manual_scores_and_late_penalties(
    root: Path, gradebook: Gradebook
) -> None:
    for student, essay, penalty in [("demo-a", 5.0, 0), ("demo-b", 6.0, 3), ("demo-c", None, 9)]:
        record(gradebook, student, essay, penalty)
        put_result(root, student, 4)
    standings = gather(Course(root), ID).standings
    assert [(s.student, s.score, s.max_score) for s in standings] == [
        ("demo-a", 9.0, 10.0),
        ("demo-b", 7.0, 10.0),
        ("demo-c", 0.0, 10.0),
    ]
    assert [s.student for s in standings if s.waiting] == ["demo-c"]
    assert main(["report", ID]) == 0
    page = Page(root / "reports" / f"{ID}.html")
    assert "Totals are the gradebook's" in page.said
    assert "1 student wrote answers that still need manual grading" in page.said
    assert "late: 3 points less" in page.said


def test_who_is_not_in_the_gradebook_keeps_the_points_of_the_checks(
    root: Path, gradebook: Gradebook
) -> None:
    record(gradebook, "demo-a", 6.0)
    put_result(root, "demo-a", 4)
    put_result(root, "demo-b", 1)
    assert main(["report", ID]) == 0
    page = Page(root / "reports" / f"{ID}.html")
    assert "the gradebook's for 1 of 2 submissions" in page.said
    assert "10 of 10" in page.said
    assert "1 of 4" in page.said


def test_the_gradebook_stays_as_it_is_to_the_byte(root: Path, gradebook: Gradebook) -> None:
    record(gradebook, "demo-a", 6.0)
    put_result(root, "demo-a", 4)
    before = (root / "gradebook.db").read_bytes()
    (root / "gradebook.db").chmod(0o444)
    assert main(["report", ID]) == 0
    assert (root / "gradebook.db").read_bytes() == before
    assert [path.name for path in root.glob("gradebook.db*")] == ["gradebook.db"]


def test_a_gradebook_that_cannot_be_read_is_told_and_nothing_is_written(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_result(root, "demo-a", 4)
    (root / "gradebook.db").write_text("this is no database " * 100)
    assert main(["report", ID]) == 2
    assert "cannot read the gradebook" in capsys.readouterr().err
    assert not (root / "reports").exists()


def test_without_a_gradebook_none_is_made(root: Path) -> None:
    put_result(root, "demo-a", 4)
    assert main(["report", ID]) == 0
    assert not (root / "gradebook.db").exists()
    assert "points of the checks alone" in Page(root / "reports" / f"{ID}.html").said


def test_folders_and_students_follow_the_configuration(root: Path) -> None:
    settings = (
        "c.CourseDirectory.directory_structure = '{nbgrader_step}/{assignment_id}/{student_id}'"
    )
    (root / "nbgrader_config.py").write_text(
        f"c = get_config()\n{settings}\nc.CourseDirectory.student_id_exclude = 'demo-test'\n"
    )
    for student in ("demo-a", "demo-test"):
        found = put_result(root, student, 4)
        target = root / "autograded" / ID / student
        target.mkdir(parents=True)
        found.rename(target / found.name)
    assert [standing.student for standing in gather(Course(root), ID).standings] == ["demo-a"]


def test_the_command_says_where_the_report_is(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_result(root, "demo-a", 4)
    assert main(["report", ID]) == 0
    assert capsys.readouterr().out.strip().endswith(f"reports/{ID}.html")
    output = root / "elsewhere.html"
    assert main(["report", ID, "--output", str(output)]) == 0
    assert "Class report" in Page(output).said


def test_nothing_to_report_is_one_sentence_and_exit_code_2(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(root, "demo-a")
    (root / "file").write_text("")
    for arguments, words in [
        ([ID], f"no submission of {ID} has been graded (1 handed in)"),
        (["ps9"], f"unknown assignment 'ps9': this course has {ID}"),
        ([ID, "--output", str(root / "none" / "x.html")], "is no folder"),
    ]:
        assert main(["report", *arguments]) == 2
        said = capsys.readouterr()
        assert words in said.err
        assert (said.out, said.err.count("\n")) == ("", 1)
    put_result(root, "demo-a", 4)
    assert main(["report", ID, "--output", str(root)]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_an_unknown_assignment_is_refused_by_name(root: Path) -> None:
    with pytest.raises(UsageError, match="unknown assignment 'ps'"):
        gather(Course(root), "ps")
