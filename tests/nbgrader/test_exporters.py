"""Grades for Canvas, Moodle and spreadsheets: right scores, empty where none, no formulas."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import ExportApp
from nbgrader.plugins import CsvExportPlugin
from traitlets.config import Config

from autograder.course.configuration import configure
from autograder.nbgrader.exporters import (
    CanvasExporter,
    GradesExporter,
    MoodleExporter,
    QuestionsExporter,
)
from autograder.nbgrader.exporters.table import TableExporter, harmless

PS1, PS2 = "ps1", "ps2"
HOSTILE = {"first_name": "=cmd|'/C calc'!A0", "last_name": "@SUM(1+1)", "email": "+1;=1+1"}

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of nbgrader's queries


def grade(gradebook: Gradebook, student: str, assignment: str = PS1, **scores: float) -> Any:
    """Records a submission whose other grades nobody has given yet."""
    submission = gradebook.add_submission(assignment, student)
    for given in submission.notebooks[0].grades:
        if given.name in scores:
            given.auto_score, given.needs_manual_grade = scores[given.name], False
    gradebook.db.commit()
    return submission


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two assignments, a class, and one submission of every kind to the first."""
    path = tmp_path_factory.mktemp("gradebook") / "gradebook.db"
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(action="ignore"):
        patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        fill(path)
    return path


@pytest.fixture
def gradebook(stored: Path, tmp_path: Path) -> Iterator[Gradebook]:
    """A gradebook of this test's own."""
    path = shutil.copy(stored, tmp_path)
    with Gradebook(f"sqlite:///{path}") as opened:
        yield opened


def fill(path: Path) -> None:
    with Gradebook(f"sqlite:///{path}") as made:
        for assignment in (PS1, PS2):
            made.add_assignment(assignment)
            made.add_notebook(assignment, assignment)
            for name, points in (("check_attention", 6.0), ("check_mask", 4.0)):
                made.add_grade_cell(
                    name, assignment, assignment, max_score=points, cell_type="code"
                )
            made.add_solution_cell("attention", assignment, assignment)
        made.add_student("demo-ada", first_name="Ada", last_name="Ö, Lace", email="ada@x.example")
        made.add_student("demo-bob", first_name="Bob", last_name="Moss", lms_user_id="77")
        for student in ("demo-evil", "demo-late", "demo-none", "demo-ungraded", "demo-waiting"):
            made.add_student(student, **(HOSTILE if student == "demo-evil" else {}))
        grade(made, "demo-ada", check_attention=6.0, check_mask=2.125)
        grade(made, "demo-evil", check_attention=0.0, check_mask=0.0)
        late = grade(made, "demo-late", check_attention=6.0, check_mask=1.0)
        late.notebooks[0].late_submission_penalty = 8.0
        grade(made, "demo-ungraded")
        grade(made, "demo-waiting", check_attention=3.0)
        by_hand = grade(made, "demo-bob", check_attention=1.0, check_mask=1.0).notebooks[0]
        by_hand.grades[0].manual_score, by_hand.grades[0].extra_credit = 5.0, 0.5
        by_hand.comments[0].manual_comment = "=1+1 is no proof.\nSee me."
        made.db.commit()


def table(exporter: type[TableExporter], gradebook: Gradebook, to: Path, **config: Any) -> Any:
    """What an exporter writes, as rows."""
    settings = Config({exporter.__name__: config, "ExportPlugin": {"to": str(to)}})
    exporter(config=settings).export(gradebook)
    with to.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def by_student(rows: list[list[str]], key: str) -> dict[str, dict[str, str]]:
    named = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    return {row[key]: row for row in named}


def test_canvas_gets_its_columns_and_points_possible(gradebook: Gradebook, tmp_path: Path) -> None:
    titles = {PS1: "Attention (4711)"}
    rows = table(CanvasExporter, gradebook, tmp_path / "c.csv", columns=titles)
    identity = ["ID", "SIS User ID", "SIS Login ID", "Section"]
    assert rows[0] == ["Student", *identity, "Attention (4711)", "ps2"]
    assert rows[1] == ["Points Possible", "", "", "", "", "10", "10"]
    found = by_student(rows, "SIS Login ID")
    assert found["demo-ada"]["Student"] == "Ö, Lace, Ada"
    assert found["demo-bob"]["ID"] == "77"
    assert {row["ps2"] for name, row in found.items() if name} == {""}


def test_scores_count_late_penalty_and_what_a_person_gave(
    gradebook: Gradebook, tmp_path: Path
) -> None:
    found = by_student(table(CanvasExporter, gradebook, tmp_path / "c.csv"), "SIS Login ID")
    scores = {name: row[PS1] for name, row in found.items() if name}
    assert scores == {
        "demo-ada": "8.125",
        "demo-bob": "6.5",
        "demo-evil": "0",
        "demo-late": "0",
        "demo-none": "",
        "demo-ungraded": "",
        "demo-waiting": "",
    }


def test_empty_totals_are_told(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table(CanvasExporter, gradebook, tmp_path / "c.csv")
    assert "wait for a person to grade a part of them, whose total is left empty: 2" in caplog.text


def test_canvas_may_know_students_by_another_id(gradebook: Gradebook, tmp_path: Path) -> None:
    rows = table(CanvasExporter, gradebook, tmp_path / "c.csv", identity="SIS User ID")
    assert by_student(rows, "SIS User ID")["demo-bob"]["SIS Login ID"] == ""


@pytest.mark.parametrize("exporter", [CanvasExporter, MoodleExporter, QuestionsExporter])
def test_no_cell_is_a_formula(
    exporter: type[TableExporter], gradebook: Gradebook, tmp_path: Path
) -> None:
    rows = table(exporter, gradebook, tmp_path / "x.csv")
    split = [part for row in rows for cell in row for part in cell.replace("\n", ";").split(";")]
    assert any(part.startswith(("'=", "'@")) for part in split)
    assert not [part for part in split if part.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_text_that_is_no_formula_stays_as_it_is() -> None:
    for text in ("Anne-Marie", "x = 1", "a@b.example", "2 - 1", ""):
        assert harmless(text) == text
    assert harmless("\t=1") == "'\t'=1"
    assert harmless("\x1b[2J=1\r") == "'=1"
    assert harmless("\N{FULLWIDTH EQUALS SIGN}1").startswith("'")


def test_moodles_gradebook_gets_grades_and_comments(gradebook: Gradebook, tmp_path: Path) -> None:
    found = by_student(table(MoodleExporter, gradebook, tmp_path / "m.csv"), "Username")
    assert found["demo-bob"][PS1] == "6.5"
    assert found["demo-bob"]["ps1 feedback"] == "'=1+1 is no proof.\nSee me."
    assert found["demo-ungraded"][PS1] == ""
    assert found["demo-ada"]["Email address"] == "ada@x.example"


WORKSHEET = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (grade),Feedback comments\r\n"
    "Participant 1,Ada Lace,ADA@x.example,Submitted,,10.00,Yes,-,\r\n"
    "Participant 77,Bob Moss,b@x.example,Submitted,1.00,10.00,Yes,-,old\r\n"
    "Participant 9,Nobody Known,n@x.example,No submission,3.00,10.00,Yes,-,kept\r\n"
)


def test_a_downloaded_worksheet_is_filled_in(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(WORKSHEET, encoding="utf-8", newline="")
    config = {"worksheet": str(sheet), "assignment": [PS1]}
    rows = table(MoodleExporter, gradebook, tmp_path / "m.csv", **config)
    found = by_student(rows, "Identifier")
    assert found["Participant 1"]["Grade"] == "8.125"
    assert found["Participant 77"]["Grade"] == "6.5"
    assert found["Participant 77"]["Feedback comments"] == "'=1+1 is no proof.\nSee me."
    assert found["Participant 1"]["Last modified (grade)"] == "-"
    kept = found["Participant 9"]
    assert (kept["Grade"], kept["Feedback comments"]) == ("3.00", "kept")
    assert f"submissions without a row in {sheet}: 4" in caplog.text


UNCLEAR = (
    "Identifier,Email address,ID number,Grade\r\n"
    "Participant 77,ADA@x.example,,\r\n"
    "Participant 1,both@x.example,,\r\n"
    "Participant 2,both@x.example,demo-waiting,\r\n"
    "Participant 3,,demo-evil,\r\n"
)


@pytest.mark.parametrize(
    ("chosen", "grades", "left"),
    [([], ["", "", "", "0"], 4), (["demo-ada"], ["", "", "", ""], 1)],
)
def test_a_row_of_a_worksheet_gets_a_grade_only_where_it_names_one_student(
    chosen: list[str],
    grades: list[str],
    left: int,
    gradebook: Gradebook,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for student in ("demo-late", "demo-waiting"):
        gradebook.update_or_create_student(student, email="both@x.example")
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(UNCLEAR, encoding="utf-8", newline="")
    config = {"worksheet": str(sheet), "assignment": [PS1], "student": chosen}
    rows = table(MoodleExporter, gradebook, tmp_path / "m.csv", **config)
    assert [row[3] for row in rows[1:]] == grades
    assert f"rows of several students each in {sheet}: 1" in caplog.text
    assert f"submissions without a row in {sheet}: {left}" in caplog.text


def test_cells_of_a_worksheet_may_hold_what_other_formats_take_for_a_line_end(
    gradebook: Gradebook, tmp_path: Path
) -> None:
    sheet = tmp_path / "sheet.csv"
    name, note = "Ada\N{LINE SEPARATOR}L\fa\N{NEXT LINE}ce", "one\r\ntwo"
    text = f'Full name,Email address,Grade,Note\r\n{name},ada@x.example,,"{note}"\r\n'
    sheet.write_text(text, encoding="utf-8", newline="")
    config = {"worksheet": str(sheet), "assignment": [PS1]}
    rows = table(MoodleExporter, gradebook, tmp_path / "m.csv", **config)
    assert rows[1:] == [[name, "ada@x.example", "8.125", note]]


@pytest.mark.parametrize(
    ("text", "assignments", "sentence"),
    [
        (None, [PS1], "cannot read"),
        ("Name,Points\n", [PS1], "is no grading worksheet: no column Grade"),
        ("Grade\n" + "x" * 200_000, [PS1], "cannot read"),
        ("Grade,N\udcffme\n", [PS1], "save it in UTF-8, as Moodle gives it"),
        (WORKSHEET, [], "a worksheet is for one assignment"),
    ],
)
def test_a_worksheet_of_no_use_ends_the_command_with_one_sentence(
    text: str | None,
    assignments: list[str],
    sentence: str,
    gradebook: Gradebook,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    sheet = tmp_path / "sheet.csv"
    if text is not None:
        sheet.write_text(text, encoding="utf-8", errors="surrogateescape")
    config = {"worksheet": str(sheet), "assignment": assignments}
    with pytest.raises(SystemExit):
        table(MoodleExporter, gradebook, tmp_path / "m.csv", **config)
    assert sentence in caplog.text
    assert not (tmp_path / "m.csv").exists()


def test_the_table_of_questions_has_a_column_for_each(gradebook: Gradebook, tmp_path: Path) -> None:
    rows = table(QuestionsExporter, gradebook, tmp_path / "q.csv", assignment=[PS1])
    names = ["ps1/attention", "ps1/mask", "ps1/late_penalty", "ps1/score"]
    assert rows[0] == ["student_id", "last_name", "first_name", "email", *names]
    found = {name: list(row.values())[4:] for name, row in by_student(rows, "student_id").items()}
    assert found["points possible"] == ["6", "4", "", "10"]
    assert found["demo-ada"] == ["6", "2.125", "0", "8.125"]
    assert found["demo-bob"] == ["5.5", "1", "0", "6.5"]
    assert found["demo-late"] == ["6", "1", "8", "0"]
    assert found["demo-waiting"] == ["3", "", "0", ""]
    assert found["demo-ungraded"] == ["", "", "0", ""]
    assert found["demo-none"] == ["", "", "", ""]


def test_questions_of_several_notebooks_are_told_apart(
    gradebook: Gradebook, tmp_path: Path
) -> None:
    gradebook.add_notebook("extra", PS2)
    gradebook.add_grade_cell("check_mask", "extra", PS2, max_score=1.0, cell_type="code")
    rows = table(QuestionsExporter, gradebook, tmp_path / "q.csv", assignment=[PS2])
    assert {"ps2/ps2/mask", "ps2/extra/mask"} < set(rows[0])


@pytest.mark.parametrize(
    ("option", "name", "sentence"),
    [
        ("assignment", "ps9", "unknown assignment 'ps9': the gradebook has ps1, ps2"),
        ("student", "demo-zoe", "unknown student 'demo-zoe'"),
    ],
)
def test_unknown_names_end_the_command_with_one_sentence(
    option: str,
    name: str,
    sentence: str,
    gradebook: Gradebook,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(SystemExit):
        table(CanvasExporter, gradebook, tmp_path / "c.csv", **{option: [name]})
    assert sentence in caplog.text


def test_an_unwritable_file_ends_the_command_with_one_sentence(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(SystemExit):
        table(CanvasExporter, gradebook, tmp_path)
    assert f"cannot write {tmp_path}: Is a directory" in caplog.text


def test_nbgrader_finds_the_exporters_and_their_options(
    gradebook: Gradebook, tmp_path: Path
) -> None:
    (tmp_path / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CanvasExporter.columns = {'ps1': 'Attention (1)'}\n"
    )
    names = ["--exporter=autograder.nbgrader.exporters.CanvasExporter", "--assignment=ps1"]
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "export", *names, "--student=demo-ada"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = list(csv.reader((tmp_path / "canvas.csv").read_text().splitlines()))
    assert rows[0][5:] == ["Attention (1)"]
    assert [row[3] for row in rows[2:]] == ["demo-ada"]


def test_the_default_export_has_nbgraders_columns_and_no_formulas(
    gradebook: Gradebook, tmp_path: Path
) -> None:
    rows = table(GradesExporter, gradebook, tmp_path / "g.csv")
    CsvExportPlugin(to=str(tmp_path / "stock.csv")).export(gradebook)
    stock = (tmp_path / "stock.csv").read_text().splitlines()
    assert rows[0] == stock[0].split(",")
    assert len(rows) == 1 + 2 * len(gradebook.students)
    found = {(row[0], row[3]): row for row in rows[1:]}
    assert found[PS1, "demo-evil"][4:7] == ["'@SUM(1+1)", "'=cmd|'/C calc'!A0", "'+1;'=1+1"]
    assert found[PS1, "demo-late"][7:] == ["7", "8", "0", "10"]
    assert found[PS1, "demo-waiting"][7:] == ["", "0", "", "10"]
    assert found[PS2, "demo-ada"][7:] == ["", "", "", "10"]


def test_every_course_exports_without_formulas_by_default() -> None:
    config = Config()
    configure(config, __file__)
    assert ExportApp(config=config).plugin_class is GradesExporter
