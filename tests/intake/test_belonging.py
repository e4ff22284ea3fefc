"""Of which assignment a notebook is: one answer at every door."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from mini import mini_assignment, nbgrader_cell
from mini_course import MINI, MiniCourse, make_course
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from ordinary_course import nbgrader

from autograder.batch.run import Workers, batch
from autograder.cli import main
from autograder.course.assignments import CONFIG_NAME
from autograder.errors import UnreadableSubmission
from autograder.gradescope.harness import submitted
from autograder.intake.belonging import Released, origin, released_in, released_in_folder

FOREIGN = "mini.ipynb is no notebook of mini: by their ids its cells are not those of a released"
OTHER = "is a notebook of other, not of mini"


def notebook_of(*names: str) -> NotebookNode:
    return nbformat.v4.new_notebook(cells=[nbgrader_cell(name, "x = 1") for name in names])


def released(assignment: str, given: str, work: str) -> Released:
    return Released(
        assignment, assignment, frozenset([*given.split(), *work.split()]), frozenset(work.split())
    )


A = released("a", "imports data plot", "one check_one")
B = released("b", "imports setup", "two check_two")


def test_one_id_in_common_makes_no_notebook_of_an_assignment() -> None:
    with pytest.raises(UnreadableSubmission, match=r"x.ipynb is no notebook of a: by their ids"):
        origin(notebook_of("imports", "exercise"), [A, B], "x.ipynb", "a")
    assert origin(notebook_of("one"), [A, B], "x.ipynb", "a") is A
    assert origin(notebook_of("imports", "data", "plot"), [A, B], "x.ipynb") is A


def test_where_nothing_can_be_told_it_is_what_it_was_handed_in_as() -> None:
    empty = nbformat.v4.new_notebook()
    assert origin(empty, [A, B], "b.ipynb", "b", "b") is B
    with pytest.raises(UnreadableSubmission, match="no notebook of this course"):
        origin(empty, [A, B], "b.ipynb")
    bare = Released("c", "c", frozenset(), frozenset())
    assert origin(notebook_of(), [A, bare], "c.ipynb", "c", "c") is bare
    with pytest.raises(UnreadableSubmission, match="is a notebook of a, not of c"):
        origin(notebook_of("imports", "one"), [A, bare], "c.ipynb", "c", "c")


def test_where_all_metadata_is_lost_jupyters_own_ids_count_or_texts() -> None:
    ids = {f"id-{name}": name for name in A.every}
    given = {("code", f"text of {name}"): name for name in A.every}
    known = Released("a", "a", A.every, A.work, {**ids, **given})

    def cleaned(*ids: str, text: str = "") -> NotebookNode:
        cells = [nbformat.v4.new_code_cell(f"{text}{name}", id=name) for name in ids]
        return nbformat.v4.new_notebook(cells=cells)

    assert origin(cleaned("id-one", "id-data", "id-plot", "own"), [known, B], "x.ipynb") is known
    most = ("one", "data", "plot")
    assert origin(cleaned(*most, text="text of "), [known, B], "x.ipynb") is known
    for few in (cleaned("id-one", "id-data"), cleaned(*most), cleaned(*most[:2], text="text of ")):
        with pytest.raises(UnreadableSubmission, match="no notebook of a"):
            origin(few, [known, B], "x.ipynb", "a")


def test_a_release_whose_cells_have_no_ids_is_known_by_names_and_texts(tmp_path: Path) -> None:
    notebook = notebook_of("one", "two")
    notebook.nbformat_minor = 4
    for cell in notebook.cells:
        del cell["id"]
    (tmp_path / "old.ipynb").write_text(json.dumps(notebook))
    (old,) = released_in_folder(tmp_path)
    assert old.is_origin_of(notebook_of("one", "two"))
    assert {*old.others.values()} <= {"one", "two"}


def test_a_notebook_of_another_assignment_is_named() -> None:
    with pytest.raises(UnreadableSubmission, match=r"x.ipynb is a notebook of b, not of a$"):
        origin(notebook_of("imports", "two"), [A, B], "x.ipynb", "a", "a")
    with pytest.raises(UnreadableSubmission, match="no notebook of this course"):
        origin(notebook_of(), [A, B], "x.ipynb")
    one, two = (Released("ps", name, A.every, A.work) for name in ("one", "two"))
    assert origin(notebook_of("one"), [one, two], "x/two.ipynb") is two
    swapped = Released("ps", "two", B.every, B.work)
    with pytest.raises(UnreadableSubmission, match="is a notebook of ps/two, not of ps/one"):
        origin(notebook_of("two"), [one, swapped], "x/one.ipynb", "ps", "one")


@pytest.fixture
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MiniCourse:
    """A course of `mini` and of `other`, whose notebooks share the cell `imports`."""
    folder = make_course(tmp_path / "course")
    cells = [nbgrader_cell("imports", "import torch"), nbgrader_cell("shown", "1 + 1")]
    cells.append(nbgrader_cell("essay", "Why?", grade=True, solution=True, locked=False, points=1))
    (folder / "release" / "other").mkdir()
    nbformat.write(
        nbformat.v4.new_notebook(cells=cells), folder / "release" / "other" / "other.ipynb"
    )
    monkeypatch.chdir(folder)
    return MiniCourse(folder)


def hand_in(mini: MiniCourse) -> None:
    """A right notebook, one of another course with one id in common, and one of `other`."""
    mini.hand_in("demo-right")
    nbformat.write(notebook_of("imports", "exercise"), mini.hand_in("demo-foreign"))
    shutil.copy(mini.folder / "release" / "other" / "other.ipynb", mini.hand_in("demo-other"))


def test_grade_refuses_with_exit_code_2(
    mini: MiniCourse, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(mini)
    for student, sentence in (("demo-foreign", FOREIGN), ("demo-other", OTHER)):
        assert main(["grade", str(mini.notebook_path(student)), "--assignment", MINI]) == 2
        assert sentence in capsys.readouterr().err
    assert main(["grade", str(mini.notebook_path("demo-foreign"))]) == 2
    assert "is no notebook of this course: by their ids" in capsys.readouterr().err


def test_batch_and_autograde_refuse_and_grade_the_others(mini: MiniCourse) -> None:
    hand_in(mini)
    refused = batch(mini.course, MINI, Workers(jobs=1)).refused
    assert FOREIGN in refused["demo-foreign"]
    assert OTHER in refused["demo-other"]
    done = nbgrader(mini.folder, "autograde", MINI, "--force")
    assert done.returncode == 1
    assert FOREIGN in done.stderr
    assert OTHER in done.stderr
    assert mini.scores() == {"demo-right": 10.0}


def test_what_was_graded_before_a_refusal_stays_graded(mini: MiniCourse) -> None:
    mini.hand_in("demo-right")
    assert nbgrader(mini.folder, "autograde", MINI).returncode == 0
    nbformat.write(notebook_of("imports"), mini.notebook_path("demo-right"))
    done = nbgrader(mini.folder, "autograde", MINI, "--force")
    assert (done.returncode, FOREIGN in done.stderr) == (1, True)
    assert mini.result("demo-right").score == mini.scores()["demo-right"] == 10.0


def collected(mini: MiniCourse) -> tuple[set[str], str]:
    """Whose notebooks `zip_collect` takes out of a class with two foreign ones, and its log."""
    hand_in(mini)
    archive = mini.folder / "downloaded" / MINI / "archive"
    for student in ("demo-right", "demo-foreign", "demo-other"):
        (archive / student).mkdir(parents=True)
        shutil.copy(mini.notebook_path(student), archive / student)
    shutil.rmtree(mini.folder / "submitted")
    done = nbgrader(mini.folder, "zip_collect", MINI, "--force")
    assert done.returncode == 0, done.stderr
    return {path.name for path in (mini.folder / "submitted").iterdir()}, done.stderr


def test_zip_collect_does_not_collect_it(mini: MiniCourse) -> None:
    students, log = collected(mini)
    assert students == {"demo-right"}
    assert f"Not collected: demo-foreign/{FOREIGN}" in log
    assert f"Not collected: demo-other/mini.ipynb {OTHER}" in log


def test_zip_collect_opens_no_notebook_above_the_courses_own_limit(mini: MiniCourse) -> None:
    with open(mini.folder / CONFIG_NAME, "a") as config:
        config.write("\nc.GradeInBox.limits = {'notebook_bytes': 10}\n")
    students, _ = collected(mini)
    assert students == {"demo-right", "demo-foreign", "demo-other"}


def test_gradescope_refuses_with_the_same_sentence(tmp_path: Path) -> None:
    assignment = mini_assignment(tmp_path / "course")
    (tmp_path / "submission").mkdir()
    nbformat.write(notebook_of("imports", "exercise"), tmp_path / "submission" / "mini.ipynb")
    with pytest.raises(UnreadableSubmission, match=FOREIGN):
        submitted(tmp_path / "submission", assignment, 1 << 20)


def test_a_release_made_anew_is_known_anew(mini: MiniCourse) -> None:
    before = released_in(mini.course)
    path = mini.folder / "release" / "other" / "other.ipynb"
    notebook = json.loads(path.read_text())
    notebook["cells"].append(nbgrader_cell("later", "2", grade=True, points=1))
    path.unlink()
    path.write_text(json.dumps(notebook))
    assert released_in(mini.course) != before


def test_nothing_is_recorded_of_what_is_refused(mini: MiniCourse) -> None:
    hand_in(mini)
    assert main(["batch", MINI, "--jobs", "1"]) == 2
    with Gradebook(f"sqlite:///{mini.folder}/gradebook.db") as gradebook:
        assert [one.id for one in gradebook.students] == ["demo-right"]
