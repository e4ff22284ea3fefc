"""`nbgrader autograde` sees what has changed, and takes the only notebook under another name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from mini_course import MINI, MiniCourse, make_course
from ordinary_course import nbgrader

from autograder.batch.run import Workers, batch
from autograder.course.assignments import CONFIG_NAME

WRONG = "def triple(x):\n    return 4 * x"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_course(tmp_path_factory.mktemp("template"))


@pytest.fixture
def mini(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MiniCourse:
    folder = Path(shutil.copytree(template, tmp_path / "course"))
    monkeypatch.chdir(folder)
    return MiniCourse(folder)


def autograded(mini: MiniCourse) -> str:
    done = nbgrader(mini.folder, "autograde", MINI)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_a_changed_submission_is_graded_again_without_a_time_stamp(mini: MiniCourse) -> None:
    mini.hand_in("demo-a", triple=WRONG)
    autograded(mini)
    assert "Skipping existing assignment" in autograded(mini)
    mini.hand_in("demo-a")
    assert "demo-a has changed since it was graded" in autograded(mini)
    assert mini.scores() == {"demo-a": 10.0}
    mini.notebook_path("demo-a").with_name("data.csv").write_text("1")
    assert "demo-a has changed since it was graded" in autograded(mini)

    shutil.rmtree(mini.folder / ".cache" / "autograded")
    mini.hand_in("demo-a", triple=WRONG)
    assert "nobody looked whether it has changed since" in autograded(mini)
    assert mini.scores() == {"demo-a": 10.0}


HANDED_IN_MEANWHILE = """
from pathlib import Path
from nbgrader.converters import Autograde
convert = Autograde.convert_single_notebook
def convert_and_hand_in(self, path):
    convert(self, path)
    Path(path).with_name("data.csv").write_text("1")
Autograde.convert_single_notebook = convert_and_hand_in
"""


def test_what_is_handed_in_while_it_is_graded_is_graded_next_time(mini: MiniCourse) -> None:
    mini.hand_in("demo-a")
    settings = mini.folder / CONFIG_NAME
    usual = settings.read_text()
    settings.write_text(usual + HANDED_IN_MEANWHILE)
    autograded(mini)
    settings.write_text(usual)
    assert "demo-a has changed since it was graded" in autograded(mini)
    assert "Skipping existing assignment" in autograded(mini)


def test_the_only_notebook_under_another_name_is_taken(mini: MiniCourse) -> None:
    path = mini.hand_in("demo-a", triple=WRONG)
    path.rename(path.with_name("mini (1).ipynb"))
    assert "mini (1).ipynb is graded as mini.ipynb" in autograded(mini)
    assert mini.scores() == {"demo-a": 5.0}
    assert mini.result("demo-a").question("triple").status == "wrong"

    shutil.copy(path.with_name("mini (1).ipynb"), path.with_name("mini-old.ipynb"))
    done = nbgrader(mini.folder, "autograde", MINI, "--force")
    sentence = "mini.ipynb is missing, and the folder holds mini (1).ipynb, mini-old.ipynb: put"
    assert (done.returncode, sentence in done.stderr) == (1, True)
    path.with_name("mini-old.ipynb").unlink()
    mini.hand_in("demo-b")
    mini.notebook_path("demo-b").rename(mini.notebook_path("demo-b").with_name("work.ipynb"))
    assert batch(mini.course, MINI, Workers(jobs=1)).recorded == ["demo-a", "demo-b"]
    assert mini.scores() == {"demo-a": 5.0, "demo-b": 10.0}


UNFOUND = ("demo-[a]", "demo-*", ".demo-hidden", "demo-space ", "demo-\nline")


def test_folders_that_nbgrader_passes_over_are_refused_and_cost_nobody_else_anything(
    mini: MiniCourse,
) -> None:
    for student in ("demo-a", "demo-z", *UNFOUND):
        mini.hand_in(student, **({} if student == "demo-a" else {"triple": WRONG}))
    nothing = mini.hand_in("demo-none")
    nothing.rename(nothing.with_suffix(".ipynb.txt"))
    mini.notebook_path("demo-empty").parent.mkdir(parents=True)
    done = nbgrader(mini.folder, "autograde", MINI)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Refused: demo-empty" not in done.stderr
    assert mini.scores() == {"demo-a": 10.0, "demo-z": 5.0}
    for student in UNFOUND:
        assert f"Refused: {' '.join(student.split())}: nbgrader " in done.stderr
    assert "Refused: demo-none: " in done.stderr
    assert (
        "mini.ipynb is missing, and the folder holds no notebook, only mini.ipynb.txt: put"
        in done.stderr
    )
    assert batch(mini.course, MINI, Workers(jobs=1)).unchanged == []
    assert mini.scores() == {"demo-a": 10.0, "demo-z": 5.0}
    only = nbgrader(mini.folder, "autograde", MINI, "--student=demo-a", "--force")
    assert (only.returncode, "Refused" in only.stderr) == (0, False)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_notebook_is_read_in_whichever_encoding_an_editor_saved_it(
    mini: MiniCourse, encoding: str
) -> None:
    path = mini.hand_in("demo-a", triple=WRONG, added="# ü")
    path.write_bytes(path.read_text(encoding="utf-8").encode(encoding))
    autograded(mini)
    assert mini.scores() == {"demo-a": 5.0}
