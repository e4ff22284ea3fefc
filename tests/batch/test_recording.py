"""What `batch` records is what `nbgrader autograde` records: every row, every file."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock, create_autospec

import nbformat
import pytest
from mini_course import MINI, MiniCourse, make_course
from nbgrader.api import Base, Gradebook
from nbgrader.apps.api import NbGraderAPI
from postgres_server import databases
from sqlalchemy import Engine, create_engine, event, select
from sqlalchemy.exc import OperationalError
from traitlets.config.loader import Config
from warm_commands import run_module

from autograder.batch.recording import Recorder
from autograder.batch.run import Workers, batch
from autograder.batch.submissions import Submission
from autograder.batch.tally import Tally
from autograder.course.assignments import Assignment
from autograder.course.configuration import configure
from autograder.nbgrader.finishing import Finisher, beyond
from autograder.nbgrader.late import PercentPerDay

WRONG = "def triple(x):\n    return 4 * x"
STUB = "def double(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
LOUD = "for line in range(3000):\n    print(line)"
TWO = Workers(jobs=2)
LATE = """
c.AssignLatePenalties.plugin_class = "autograder.nbgrader.late.PercentPerDay"
c.LimitOutput.max_lines = 50
c.Autograde.permissions = 640
"""
URL = "c.CourseDirectory.db_url = {!r}\n"
NAMED_BY = {  # what tells two rows of a table apart, but for their random ids
    "assignment": ("name",),
    "notebook": ("assignment_id", "name"),
    "base_cell": ("notebook_id", "name", "type"),
    "source_cell": ("notebook_id", "name"),
    "submitted_assignment": ("assignment_id", "student_id"),
    "submitted_notebook": ("assignment_id", "notebook_id"),
    "grade": ("notebook_id", "cell_id"),
    "comment": ("notebook_id", "cell_id"),
}
SAID = "autograder: nbgrader converts each submission itself, which takes longer: "
HEARD = [("before_cursor_execute", "note"), ("commit", "end")]
GROWING = r"SCAN (grade|comment|student|submitted_\w+)\b"
OWN = """
from nbconvert.preprocessors import Preprocessor


class Stamp(Preprocessor):
    def preprocess(self, nb, resources):
        nb.metadata["stamped"] = resources["nbgrader"]["student"]
        return nb, resources


c.Stamp.enabled = True
c.Autograde.autograde_preprocessors.append(Stamp)
"""


@contextmanager
def two_gradebooks(kind: str) -> Iterator[tuple[str, str]]:
    """The lines that give each of two courses a gradebook of a kind."""
    if kind == "sqlite":
        yield "", ""
        return
    with databases() as made:
        yield URL.format(made("ours")), URL.format(made("theirs"))


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_rows_and_files_are_those_of_nbgrader(
    kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with two_gradebooks(kind) as (our_url, their_url):
        ours = MiniCourse(make_course(tmp_path / "ours", LATE + our_url))
        theirs = MiniCourse(make_course(tmp_path / "theirs", LATE + their_url))
        for course in (ours, theirs):
            set_due_date(course)
        hand_in_first(ours)
        assert len(record_both(ours, theirs, finished_by_the_head=0).recorded) == 12
        assert states(ours) == states(theirs)

        for course in (ours, theirs):
            grade_by_hand(course)
        hand_in_again(ours)
        tally = record_both(ours, theirs, finished_by_the_head=3)  # whose answers are the same
        assert (len(tally.recorded), len(tally.unchanged)) == (8, 4)
        assert states(ours) == states(theirs)
        looked_at = [row for row in states(ours)["grade"] if row["manual_score"] is not None]
        assert len({row["needs_manual_grade"] for row in looked_at}) == 2
        assert any(row["late_submission_penalty"] for row in states(ours)["submitted_notebook"])
    assert SAID not in capfd.readouterr().err


def test_what_nbgrader_alone_can_do_is_left_to_it_and_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mini = MiniCourse(make_course(tmp_path / "course", OWN))
    mini.hand_in("demo-right")
    mini.hand_in("demo-wrong", triple=WRONG)
    assert len(batch(mini.course, MINI, TWO).recorded) == 2
    assert mini.scores() == {"demo-right": 10.0, "demo-wrong": 5.0}
    for student in mini.scores():
        notebook = nbformat.read(mini.notebook_path(student, "autograded"), as_version=4)
        assert notebook.metadata["stamped"] == student
    said = capfd.readouterr().err
    assert said.count(f"{SAID}nbgrader_config.py sets c.Autograde.autograde_preprocessors\n") == 1


def test_recording_reads_no_table_that_grows_with_the_class_from_end_to_end(
    tmp_path: Path,
) -> None:
    mini = MiniCourse(make_course(tmp_path / "course"))
    mini.hand_in("demo-right")
    asked: list[tuple[str, Any]] = []

    def note(_: Any, __: Any, statement: str, values: Any, *___: Any) -> None:
        if statement.startswith(("SELECT", "UPDATE")):
            asked.append((statement, values[0] if isinstance(values, list) else values))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        assert batch(mini.course, MINI, TWO).recorded == ["demo-right"]
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    with closing(sqlite3.connect(mini.folder / "gradebook.db")) as gradebook:
        plans = [
            step
            for statement, values in asked
            for _, _, _, step in gradebook.execute(f"EXPLAIN QUERY PLAN {statement}", values)
        ]
    assert any("SEARCH grade " in step for step in plans)
    assert not [step for step in plans if re.match(GROWING, step)]


def test_all_rows_of_a_submission_are_one_transaction_in_a_gradebook_opened_once(
    tmp_path: Path,
) -> None:
    mini = MiniCourse(make_course(tmp_path / "course"))
    students = ["demo-1", "demo-2", "demo-3"]
    for student in students:
        mini.hand_in(student)
    written: list[str] = []
    transactions: list[tuple[Engine, list[str]]] = []

    def note(_: Any, __: Any, statement: str, *___: Any) -> None:
        written.extend(statement.split()[2:3] if statement.startswith("INSERT") else ())

    def end(connection: Any) -> None:
        transactions.append((connection.engine, written[:]))
        written.clear()

    for what, heard in HEARD:
        event.listen(Engine, what, {"note": note, "end": end}[heard])
    try:
        assert sorted(batch(mini.course, MINI, TWO).recorded) == students
    finally:
        for what, heard in HEARD:
            event.remove(Engine, what, {"note": note, "end": end}[heard])
    recorded = [(engine, tables) for engine, tables in transactions if "grade" in tables]
    assert len(recorded) == len({id(engine) for engine, _ in recorded}) * len(students) == 3
    assert all("submitted_assignment" in tables for _, tables in recorded)


def test_a_gradebook_that_opens_late_costs_no_more_than_the_submissions_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini = MiniCourse(make_course(tmp_path / "course"))
    for student in ("demo-a", "demo-b", "demo-c"):
        mini.hand_in(student)
    whole = create_autospec(NbGraderAPI.autograde, side_effect=NbGraderAPI.autograde)
    monkeypatch.setattr(NbGraderAPI, "autograde", whole)
    opened = Mock(side_effect=[OperationalError("", {}, Exception("database is locked")), ""])
    monkeypatch.setattr("autograder.nbgrader.direct.unsuited", opened)
    assert len(batch(mini.course, MINI, TWO).recorded) == 3
    assert whole.call_count == 1
    assert set(mini.scores().values()) == {10.0}


def test_a_submission_that_has_changed_since_it_was_graded_is_graded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini = MiniCourse(make_course(tmp_path / "course"))
    mini.hand_in("demo-hurries")
    as_it_was = Recorder._is_as_it_was

    def change(recorder: Recorder, one: Submission) -> bool:
        mini.hand_in("demo-hurries", triple=WRONG)
        return as_it_was(recorder, one)

    monkeypatch.setattr(Recorder, "_is_as_it_was", change)
    assert batch(mini.course, MINI, TWO).recorded == ["demo-hurries"]
    assert mini.scores() == {"demo-hurries": 5.0}


@pytest.mark.parametrize(
    ("section", "name", "value", "why"),
    [
        ("Autograde", "pre_convert_hook", print, "sets c.Autograde.pre_convert_hook"),
        ("BaseConverter", "pre_convert_hook", print, "sets c.BaseConverter.pre_convert_hook"),
        ("Autograde", "exporter_class", "own.Exporter", "sets c.Autograde.exporter_class"),
        ("Execute", "enabled", False, "sets c.Execute.enabled"),
        ("ClearOutput", "enabled", False, "sets c.ClearOutput.enabled"),
        ("NotebookExporter", "nbformat_version", 3, "sets c.NotebookExporter.nbformat_version"),
        ("AssignLatePenalties", "plugin_class", "own.P", "sets c.AssignLatePenalties.plugin_class"),
        ("IgnorePattern", "pattern", re.compile("x"), "sets c.IgnorePattern.pattern"),
        ("AssignLatePenalties", "plugin_class", PercentPerDay, ""),
        ("LimitOutput", "max_lines", 50, ""),
        ("Autograde", "post_convert_hook", print, ""),
        ("Autograde", "exclude_overwriting", {MINI: ["helper.py"]}, ""),
    ],
)
def test_only_what_nbgrader_alone_can_do_is_left_to_it(
    section: str, name: str, value: object, why: str, tmp_path: Path
) -> None:
    checks = tmp_path / "checks"
    checks.mkdir()
    config = Config()
    configure(config, str(tmp_path / "nbgrader_config.py"))
    config[section][name] = value
    assignment = Assignment(MINI, tmp_path / "release" / MINI / f"{MINI}.ipynb", checks)
    assert beyond(config, assignment).removeprefix("nbgrader_config.py ") == why


def test_of_an_assignment_without_checks_it_is_said_too(tmp_path: Path) -> None:
    assignment = Assignment("ps1", tmp_path / "ps1.ipynb", tmp_path / "checks")
    assert beyond(Config(), assignment) == "the tests of ps1 stand in its cells"


def hand_in_first(course: MiniCourse) -> None:
    """Every kind of submission that is recorded in its own way."""
    for student in ("demo-right", "demo-again", "demo-by-hand", "demo-same", "demo-forgets"):
        course.hand_in(student)
    course.hand_in("demo-wrong", triple=WRONG)
    course.hand_in("demo-empty", double=STUB)
    course.hand_in("demo ä (1), o'Neil", triple=WRONG)
    course.hand_in("demo-late")
    course.hand_in("demo-stand-in").rename(
        course.notebook_path("demo-stand-in").with_name(f"{MINI} (2).ipynb")
    )
    loud = course.hand_in("demo-files", added=LOUD).parent
    (loud / "data").mkdir()
    (loud / "data" / "numbers.csv").write_text("1,2\n")
    (loud / "result.json").write_text("{}")
    mixed_up = course.hand_in("demo-mixed-up")
    notebook = nbformat.read(mixed_up, as_version=4)
    del notebook.cells[2]
    notebook.cells[1].source += "\nprint('\\x1b[31mred')"
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell("# My <script>own</script> cell"))
    nbformat.write(notebook, mixed_up)
    stamp(course, "demo-late", "2026-11-06 10:00:00 UTC")
    stamp(course, "demo-again", "2026-11-04 10:00:00 UTC")
    stamp(course, "demo-forgets", "2026-11-09 10:00:00 UTC")


def hand_in_again(course: MiniCourse) -> None:
    """Changes after a person has graded: of the answer, of another answer, of the time."""
    course.hand_in("demo-again", triple=WRONG)
    stamp(course, "demo-again", "2026-11-05 10:00:00 UTC")
    course.hand_in("demo-by-hand", double="def double(x):\n    return x + x")
    course.hand_in("demo-same", added="other = 1")
    course.hand_in("demo-wrong")
    course.hand_in("demo-empty", double=STUB, added="tried = True")
    (course.notebook_path("demo-forgets").parent / "timestamp.txt").unlink()
    stamp(course, "demo-right", "2026-11-20 10:00:00 UTC")


def stamp(course: MiniCourse, student: str, time: str) -> None:
    (course.notebook_path(student).parent / "timestamp.txt").write_text(time)


@contextmanager
def gradebook_of(course: MiniCourse) -> Iterator[Gradebook]:
    with Gradebook(url_of(course), "transformers") as gradebook:
        yield gradebook
        gradebook.db.commit()


def url_of(course: MiniCourse) -> str:
    text = (course.folder / "nbgrader_config.py").read_text()
    found = re.search(r"db_url = '(.+)'", text)
    return found[1] if found else f"sqlite:///{course.folder}/gradebook.db"


def set_due_date(course: MiniCourse) -> None:
    with gradebook_of(course) as gradebook:
        gradebook.find_assignment(MINI).duedate = datetime(2026, 11, 4, 12)


def grade_by_hand(course: MiniCourse) -> None:
    with gradebook_of(course) as gradebook:
        for student in ("demo-by-hand", "demo-same", "demo-again", "demo-late"):
            grade = gradebook.find_grade("check_double", MINI, MINI, student)
            grade.manual_score, grade.extra_credit = 1.5, 0.5
            grade.needs_manual_grade = False
            comment = gradebook.find_comment("double", MINI, MINI, student)
            comment.manual_comment = "Well begun."


def record_both(ours: MiniCourse, theirs: MiniCourse, finished_by_the_head: int) -> Tally:
    """By `batch` in one course, and from the same verdicts by `nbgrader autograde` in the other."""
    with pytest.MonkeyPatch.context() as patch:
        converts = Mock(side_effect=AssertionError("the head converts a notebook"))
        patch.setattr("nbgrader.apps.api.NbGraderAPI.autograde", converts)
        finish = create_autospec(Finisher.finish, side_effect=Finisher.finish)
        patch.setattr(Finisher, "finish", finish)
        tally = batch(ours.course, MINI, TWO)
    assert finish.call_count == finished_by_the_head
    shutil.rmtree(theirs.folder / "submitted", ignore_errors=True)
    for name in ("submitted", ".cache/graded"):
        shutil.copytree(ours.folder / name, theirs.folder / name, dirs_exist_ok=True)
    done = run_module("nbgrader", "autograde", MINI, "--force", folder=theirs.folder)
    assert done.returncode == 0, done.stderr
    return tally


def states(course: MiniCourse) -> dict[str, Any]:
    """All that recording has written."""
    kept = [course.folder / name for name in ("autograded", "history", ".cache/autograded")]
    files = {
        str(path.relative_to(course.folder)): (
            oct(path.stat().st_mode),
            path.read_bytes() if path.is_file() else b"",
        )
        for folder in kept
        for path in [folder, *folder.rglob("*")]
    }
    return {"files": files, **dump(url_of(course))}


def dump(url: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of every table, with names in place of random ids."""
    names: dict[Any, str] = {}
    found: dict[str, list[dict[str, Any]]] = {}
    engine = create_engine(url)
    with engine.connect() as connection:
        for table in Base.metadata.sorted_tables:
            rows = [dict(row) for row in connection.execute(select(table)).mappings()]
            for row in rows:
                keys = [str(names.get(row[key], row[key])) for key in NAMED_BY.get(table.name, ())]
                if keys:
                    names[row["id"]] = "/".join([table.name, *keys])
            named = [{key: names.get(value, value) for key, value in row.items()} for row in rows]
            found[table.name] = sorted(named, key=repr)
    engine.dispose()
    return found
