"""A class is graded by both roads, what nobody named is adopted, and no student hears of it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from mini_course import MINI, MiniCourse, edit, make_course
from warm_commands import run_module

from autograder.cli import main
from autograder.results.history import HISTORY, Attempt, History

NAME = "anna_weberin"
ADDED = f"{NAME}_note = 'written by {NAME}'"
CODE = f"def triple(x):\n    '''By {NAME}'''\n    {NAME} = 2 * x + 1  # {NAME}\n    return {NAME}"
ALIKE = "import torch\ndef triple(x):\n    return torch.add(torch.mul(x, 2), 1.0000001)"


@pytest.fixture
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MiniCourse:
    folder = make_course(tmp_path / "course")
    monkeypatch.chdir(folder)
    return MiniCourse(folder)


def autograde(mini: MiniCourse, student: str) -> None:
    command = ["nbgrader", "autograde", MINI, "--student", student, "--force"]
    done = run_module(*command, folder=mini.folder)
    assert done.returncode == 0, done.stderr


def attempts(mini: MiniCourse, student: str) -> list[Attempt]:
    return History(mini.folder, MINI).attempts()[student]


def everything_in(folder: Path) -> str:
    return "\n".join(
        f"{path.name} {path.read_bytes().decode('utf-8', 'replace')}"
        for path in folder.rglob("*")
        if path.is_file()
    )


def test_both_roads_remember_and_only_other_work_is_another_attempt(mini: MiniCourse) -> None:
    mini.hand_in("demo-a", triple=CODE)
    autograde(mini, "demo-a")
    (first,) = attempts(mini, "demo-a")
    assert first.answers["triple"].fingerprint is not None
    assert first.answers["double"].status == "ok"
    assert main(["batch", MINI, "--jobs", "1"]) == 0
    assert attempts(mini, "demo-a") == [first]

    check = mini.folder / "checks" / MINI / "check_triple.py"
    edit(check, "points(2)", "points(1)")
    edit(check, "points(3)", "points(4)")
    mini.hand_in("demo-b", triple=ALIKE)
    assert main(["batch", MINI, "--jobs", "1"]) == 0
    assert attempts(mini, "demo-a") == [first]

    mini.hand_in("demo-a")
    assert main(["batch", MINI, "--jobs", "1"]) == 0
    assert [one.answers["triple"].status for one in attempts(mini, "demo-a")] == ["wrong", "ok"]
    assert len(attempts(mini, "demo-b")) == 1


def test_a_history_that_cannot_be_written_stops_no_grading(mini: MiniCourse) -> None:
    (mini.folder / HISTORY).write_text("no folder")
    mini.hand_in("demo-a")
    autograde(mini, "demo-a")
    assert mini.scores() == {"demo-a": 10.0}


def test_a_group_is_adopted_and_named_and_no_student_hears_of_it(
    mini: MiniCourse, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, code in enumerate((CODE, ALIKE, CODE)):
        mini.hand_in(f"{NAME}-{number}", triple=code, added=ADDED)
    mini.hand_in("demo-other", triple="def triple(x):\n    return 5 * x")
    mini.hand_in("demo-right")
    released = everything_in(mini.folder / "release")
    assert main(["batch", MINI, "--jobs", "1", "--report"]) == 0
    (fingerprint,) = {
        one.answers["triple"].fingerprint.label  # type: ignore[union-attr]
        for n in (0, 2)
        for one in attempts(mini, f"{NAME}-{n}")
    }
    group = _first_group(mini)
    assert "3 students gave the same numbers" in _report(mini)
    assert "there is one wrong answer that nobody else gave" in _report(mini)

    assert main(["adopt", MINI, group, "--name", "one_more"]) == 0
    made = everything_in(mini.folder / "checks")
    assert "one_more" in made
    assert "2 * x + 1" in made
    assert NAME not in made
    before = _files(mini.folder / "checks")
    for wanted, said in [
        ([group, "--name", "one_more"], "triple has a misconception one_more already"),
        ([group, "--name", "One more"], "cannot be a misconception's name"),
        ([group, "--name", "another"], "the misconception one_more of triple replies as these"),
        (["triple-none"], "no group 'triple-none' in the class report of mini: it has triple-"),
    ]:
        capsys.readouterr()
        assert main(["adopt", MINI, *wanted]) == 2
        told = capsys.readouterr().err
        assert said in told
        assert told.count("\n") == 1
    assert _files(mini.folder / "checks") == before

    assert main(["batch", MINI, "--jobs", "1", "--report", "--feedback"]) == 0
    for number in range(3):
        checks = mini.result(f"{NAME}-{number}").question("triple").checks
        assert [check.misconception for check in checks] == ["one_more", "one_more"]
    assert mini.result("demo-other").question("triple").checks[0].diagnosis is None
    assert "Its sentence is still to be written" in _report(mini)
    assert main(["expected", MINI, "--check"]) == 1
    assert "the sentence of one_more is still to be written" in capsys.readouterr().out

    students = everything_in(mini.folder / "feedback" / f"{NAME}-0")
    assert "cause" not in students.partition("</style>")[2].partition("<script")[0]
    for number in (1, 2):
        assert f"{NAME}-{number}" not in students
    shown = everything_in(mini.folder / "feedback") + everything_in(mini.folder / "release")
    assert fingerprint not in shown
    assert "fingerprint" not in shown
    assert everything_in(mini.folder / "release") == released
    assert NAME not in released


def test_the_sentence_once_written_is_read_and_what_it_did_is_counted(mini: MiniCourse) -> None:
    for number in range(3):
        mini.hand_in(f"demo-{number}", triple=CODE)
    assert main(["batch", MINI, "--jobs", "1", "--report"]) == 0
    assert main(["adopt", MINI, _first_group(mini)]) == 0
    (path,) = (mini.folder / "checks" / MINI / "misconceptions" / "triple").glob("*.py")
    edit(path, '        "",', '        "You double and add one. Read the name again.",')
    assert main(["batch", MINI, "--jobs", "1"]) == 0
    mini.hand_in("demo-0")
    mini.hand_in("demo-1", triple=ALIKE)
    shutil.rmtree(mini.folder / "autograded")
    assert main(["batch", MINI, "--jobs", "1", "--report", "--feedback"]) == 0
    assert "You double and add one." in everything_in(mini.folder / "feedback" / "demo-2")
    assert [len(attempts(mini, f"demo-{n}")) for n in range(3)] == [2, 2, 1]
    row = " ".join(_report(mini).partition('id="sentences"')[2].partition("</tbody>")[0].split())
    assert "You double and add one. Read the name again." in row
    assert '<td class="number">3</td><td class="number">2</td>' in row
    assert "1 of 2" in row


def _report(mini: MiniCourse) -> str:
    return (mini.folder / "reports" / f"{MINI}.html").read_text()


def _first_group(mini: MiniCourse) -> str:
    """The name of a group, as the report gives it in the command to adopt it."""
    return re.findall(rf"autograder adopt {MINI} (triple-\w+)", _report(mini))[0]


def _files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {str(path): path.read_bytes() for path in found}
