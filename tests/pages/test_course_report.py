"""The course report: what it gathers and shows, and that nothing of a student runs in it."""

from __future__ import annotations

import json
import warnings
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest
from html_page import Page, expect_inert, expect_usable_without_sight
from nbgrader.api import Gradebook
from sqlalchemy.exc import SAWarning

from autograder.cli import main
from autograder.course.assignments import Course
from autograder.pages.course_report.behind import falling_behind
from autograder.pages.course_report.gathering import CourseResults, gather_course
from autograder.results.model import CheckResult, Diagnosis, QuestionResult, SubmissionResult

IDS = ["ps1", "ps2", "ps3"]
HOSTILE = ["<script>alert(1)", '" onmouseover="alert(2)', "x' & y", "\N{RIGHT-TO-LEFT OVERRIDE}z"]
SENTENCE = "Your `softmax` runs over the <b>queries</b>."
NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with three released assignments and no submissions; the working folder."""
    folder = tmp_path / "a course [1]"
    for name in IDS:
        (folder / "release" / name).mkdir(parents=True)
        nbformat.write(nbformat.v4.new_notebook(), folder / "release" / name / f"{name}.ipynb")
    (folder / "nbgrader_config.py").write_text("c = get_config()\n")
    monkeypatch.chdir(folder)
    return folder


def put(root: Path, assignment: str, student: str, share: float, *, told: bool = False) -> None:
    """Puts a result of ten points in place; the question `hard` earns half of `easy`'s share."""
    known = Diagnosis("misconception", "softmax_over_queries", SENTENCE) if told else None
    check = CheckResult("values", "The values are right.", 5.0, False, "off", "wrong", known)
    questions = [
        QuestionResult("easy", "wrong", 5 * share, 5.0, [check]),
        QuestionResult("hard", "wrong", 2.5 * share, 5.0, []),
    ]
    score = sum(question.score for question in questions)
    result = SubmissionResult(
        *(assignment, f"{student}/{assignment}", "graded", score, 10.0, "full", 1.0, [], questions)
    )
    folder = root / "autograded" / student / assignment
    folder.mkdir(parents=True)
    (folder / "result.json").write_text(json.dumps(result.as_dict()))


def a_class(root: Path) -> None:
    """Ten students who do alike, one who stops, one who falls, one who was weak from the start."""
    for assignment in IDS:
        for place in range(10):
            put(root, assignment, f"demo-{place}", 0.8, told=place < 4)
        put(root, assignment, "demo-weak", 0.2)
    put(root, "ps1", "demo-stops", 0.9)
    for assignment, share in zip(IDS, (0.9, 0.3, 0.2), strict=True):
        put(root, assignment, "demo-falls", share)


def gathered(root: Path) -> CourseResults:
    return gather_course(Course(root), NOW)


def shown(root: Path) -> Page:
    assert main(["report"]) == 0
    return Page(root / "reports" / "course.html")


def test_who_stops_or_falls_is_listed_and_who_was_always_weak_is_not(root: Path) -> None:
    a_class(root)
    found = gathered(root).behind
    assert [one.student for one in found] == ["demo-stops", "demo-falls"]
    stops, falls = found
    assert (stops.missing, stops.recent) == ([True, True], [None, None])
    assert (falls.missing, falls.recent) == ([False, False], pytest.approx([0.225, 0.15]))
    assert falls.earlier == pytest.approx(0.675)
    assert falls.earlier_class == pytest.approx(0.6)
    said = shown(root).said
    assert "A reason to talk to them, and no verdict" in said
    assert "demo-stops missing missing 68" in said


def test_what_is_not_known_counts_neither_for_nor_against_a_student() -> None:
    class_ = {f"demo-{place}": 0.8 for place in range(5)}
    over = [{**class_, "demo-x": 0.8}, {**class_, "demo-x": 0.2}, {**class_, "demo-x": None}]
    assert falling_behind(["demo-x"], over) == []
    over[2] = {**class_, "demo-x": 0.7}
    assert falling_behind(["demo-x"], over) == []
    over[2] = {**class_, "demo-x": 0.1}
    assert [one.fall for one in falling_behind(["demo-x"], over)] == [pytest.approx(0.65)]


def test_one_missing_work_alone_makes_nobody_fall_behind() -> None:
    class_ = {f"demo-{place}": 0.8 for place in range(5)}
    over = [{**class_, "demo-x": 0.8}, {**class_, "demo-x": 0.8}, class_]
    assert falling_behind(["demo-x"], over) == []
    over[1] = {**class_, "demo-x": 0.5}
    assert [one.missing for one in falling_behind(["demo-x"], over)] == [[False, True]]


def test_a_hard_assignment_makes_nobody_fall_behind() -> None:
    shares = [dict.fromkeys("abcdef", share) for share in (0.9, 0.9, 0.3, 0.3)]
    assert falling_behind("abcdef", shares) == []


def test_before_two_assignments_are_over_nobody_falls_behind(root: Path) -> None:
    for place in range(4):
        put(root, "ps1", f"demo-{place}", 0.1 * place)
    assert gathered(root).behind == []
    assert "Fewer than two assignments are over" in shown(root).said


def test_what_a_person_has_yet_to_grade_is_left_out_of_a_share(root: Path) -> None:
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        gradebook.add_assignment("ps1", duedate="2026-04-01 12:00 UTC")
        gradebook.add_notebook("ps1", "ps1")
        gradebook.add_grade_cell("check_easy", "ps1", "ps1", max_score=4, cell_type="code")
        gradebook.add_grade_cell("essay", "ps1", "ps1", max_score=6, cell_type="markdown")
        for student in ("demo-a", "demo-absent"):
            gradebook.add_student(student)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # nbgrader's own query
            gradebook.add_submission("ps1", "demo-a")
        grade = gradebook.find_grade("check_easy", "ps1", "ps1", "demo-a")
        grade.auto_score, grade.needs_manual_grade = 3.0, False
        gradebook.db.commit()
    put(root, "ps1", "demo-a", 0.8)
    found = gathered(root)
    cells = {student: found.assignments[0].cell(student) for student in found.students}
    assert (cells["demo-a"].state, cells["demo-a"].share) == ("preliminary", 0.75)
    assert cells["demo-absent"].state == "missing"
    assert found.assignments[1].cell("demo-absent").state == "open"
    said = shown(root).said
    assert "demo-a 75 %*" in said
    assert "demo-absent missing not yet not yet 0" in said
    assert "1 graded, 1 missing; due 2026-04-01" in said


def test_assignments_stand_in_the_order_of_their_due_dates_if_all_have_one(root: Path) -> None:
    a_class(root)
    assert [one.name for one in gathered(root).assignments] == IDS
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        for name, month in zip(IDS, (3, 4, 2), strict=True):
            gradebook.add_assignment(name, duedate=f"2026-0{month}-01 12:00 UTC")
    assert [one.name for one in gathered(root).assignments] == ["ps3", "ps1", "ps2"]


def test_an_assignment_under_way_makes_nobody_missing(root: Path) -> None:
    a_class(root)
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        gradebook.add_assignment("ps3", duedate="2026-06-01 12:00 UTC")
    found = gathered(root)
    assert [one.name for one in found.over] == ["ps1", "ps2"]
    assert found.assignments[2].cell("demo-stops").state == "open"
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        gradebook.add_assignment("ps2")
        gradebook.add_student("demo-stops")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # nbgrader's own query
            gradebook.add_submission("ps2", "demo-stops")
        gradebook.grant_extension("ps2", "demo-stops", days=3)
    assert gathered(root).assignments[1].cell("demo-stops").state == "open"


def test_the_hardest_questions_and_the_sentences_told_most_are_those_of_the_course(
    root: Path,
) -> None:
    a_class(root)
    found = gathered(root)
    assert [one.item.slug for one in found.hardest()] == ["hard"] * 3 + ["easy"] * 3
    [told] = found.told_most()
    assert told.places == [(name, ["easy"]) for name in IDS]
    assert told.students == [f"demo-{place}" for place in range(4)]
    said = shown(root).said
    assert "Softmax over queries 4 of 13" in said
    assert "Your softmax runs over the <b>queries</b>." in said


def test_scores_lead_to_feedback_pages_and_names_of_assignments_to_class_reports(
    root: Path,
) -> None:
    a_class(root)
    feedback = root / "feedback" / "demo-3" / "ps2" / "ps2.html"
    feedback.parent.mkdir(parents=True)
    feedback.write_text("feedback")
    assert main(["report", "ps1"]) == 0
    for arguments, folder in ((["report"], "reports"), (["report", "--output", "x.html"], ".")):
        assert main(arguments) == 0
        page = Page(root / folder / ("course.html" if folder == "reports" else "x.html"))
        links = {found["href"] for found in page.all("a") if not found["href"].startswith("#")}
        targets = {(root / folder / unquote(link)).resolve() for link in links}
        assert targets == {feedback.resolve(), (root / "reports" / "ps1.html").resolve()}


def test_nothing_of_a_student_becomes_markup_and_the_page_is_usable_without_sight(
    root: Path,
) -> None:
    a_class(root)
    for name in HOSTILE:
        put(root, "ps1", name, 0.5)
    (root / "submitted" / "demo-late" / "ps1").mkdir(parents=True)
    page = shown(root)
    expect_inert(page)
    expect_usable_without_sight(page)
    assert page.all("b") == []
    for name in HOSTILE:
        assert name in page.text
    assert "demo-late ungraded missing missing" in page.said
    ids = [attributes["id"] for attributes in page.all("section")]
    assert ids == ["assignments", "talk", "hardest", "told", "students"]
    assert "10 students from 60 to 70 %" in page.said


def test_nothing_to_report_is_one_sentence_and_exit_code_2(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report"]) == 2
    assert "no submission of this course has been graded" in capsys.readouterr().err
    put(root, "ps1", "demo-a", 0.8)
    assert main(["report", "--output", str(root / "none" / "x.html")]) == 2
    assert "is no folder" in capsys.readouterr().err
    assert main(["report"]) == 0
    assert capsys.readouterr().out.strip().endswith("reports/course.html")


def test_an_assignment_named_as_the_report_keeps_its_class_report(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "release" / "ps1").rename(root / "release" / "course")
    put(root, "course", "demo-a", 0.8)
    assert main(["report", "course"]) == main(["report"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [
        f"class report: {root / 'reports' / 'course.html'}",
        f"course report: {root / 'reports' / 'course-page.html'}",
    ]


def test_who_is_left_out_of_grading_is_left_out_here_too(root: Path) -> None:
    (root / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.student_id_exclude = 'demo-test'\n"
    )
    for student in ("demo-a", "demo-test"):
        put(root, "ps1", student, 0.8)
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        gradebook.add_student("demo-test")
    assert gathered(root).students == ["demo-a"]


def test_each_file_of_the_course_is_read_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the time grows with the number of submissions, and not faster."""
    a_class(root)
    read: list[Path] = []
    whole = Path.read_text

    def counting(path: Path, *arguments: object, **named: object) -> str:
        if path.name == "result.json":
            read.append(path)
        return whole(path, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "read_text", counting)
    shown(root)
    assert len(read) == len(set(read)) == 37
