"""The `autograder` command as a user types it."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import A1, ROOT, Submit
from mini_course import edit

from autograder.cli import main
from autograder.course.assignments import Assignment, Course
from autograder.errors import Ungraded
from autograder.results.model import SCHEMA


@pytest.fixture(autouse=True)
def in_the_course(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture
def right(tmp_path: Path, submit: Submit) -> str:
    path = tmp_path / "s01" / f"{A1}.ipynb"
    path.parent.mkdir()
    nbformat.write(submit(), path)
    return str(path)


@pytest.fixture
def half(tmp_path: Path, submit: Submit) -> str:
    path = tmp_path / "half.ipynb"
    nbformat.write(submit(attention="def attention(q, k, v):\n    return v, v"), path)
    return str(path)


def test_json_of_one_notebook_is_one_object(right: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", right, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["assignment"], found["submission"]) == (SCHEMA, A1, right)
    assert (found["status"], found["score"], found["max_score"]) == ("graded", 100.0, 100.0)
    assert found["flags"] == []
    question = found["questions"][0]
    assert (question["slug"], question["status"]) == ("positional_encoder", "ok")
    assert set(question["checks"][0]) >= {"name", "points", "passed", "message", "misconception"}


def test_several_notebooks_give_a_list_and_fail_under_its_threshold(
    right: str, half: str, tmp_path: Path
) -> None:
    output = tmp_path / "results.json"
    arguments = ["grade", right, half, "--format=json", f"--output={output}", "--fail-under=90"]
    assert main(arguments) == 1
    found = json.loads(output.read_text())
    assert [result["score"] >= 90 for result in found] == [True, False]


def test_text_names_every_failed_check(half: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", half, "--assignment", A1]) == 0
    said = capsys.readouterr().out
    assert "attention: wrong" in said
    assert "[FAILED] 0/" in said


def test_a_step_of_github_gets_summary_annotations_and_the_classroom_result(
    half: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    assert main(["grade", half, "--format", "github", "--fail-under", "100"]) == 1
    assert f"::error file={half},title=attention%3A " in capsys.readouterr().out
    assert "<code>attention</code>: wrong" in (tmp_path / "summary").read_text()
    encoded = (tmp_path / "output").read_text().removeprefix("result=")
    assert json.loads(base64.b64decode(encoded))["max_score"] == 100.0


def test_gradescope_takes_one_notebook(
    right: str, half: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", right, half, "--format", "gradescope"]) == 2
    assert "give only one" in capsys.readouterr().err


def test_terminal_escapes_of_a_student_are_stripped(
    tmp_path: Path, submit: Submit, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.ipynb"
    nbformat.write(
        submit(attention="def attention(q, k, v):\n    raise ValueError('\x1b[2Jx')"), path
    )
    assert main(["grade", str(path)]) == 0
    said = capsys.readouterr().out
    assert "raised ValueError: x" in said
    assert "\x1b" not in said


def write(path: Path, content: str) -> str:
    path.write_text(content)
    return str(path)


def foreign(path: Path) -> str:
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x")]), path)
    return str(path)


def test_bad_input_gets_one_sentence_and_exit_code_2_and_nothing_is_written(
    tmp_path: Path, right: str, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.json"
    for arguments, sentence in [
        ([write(tmp_path / "no.ipynb", "no notebook")], "is not a Jupyter notebook"),
        ([str(tmp_path / "missing.ipynb")], "No such file"),
        ([str(tmp_path)], "not a regular file"),
        (
            [right, "--assignment", "a9_unknown"],
            f"unknown assignment 'a9_unknown': this course has {A1}",
        ),
        ([foreign(tmp_path / "other.ipynb")], "is no notebook of this course"),
        ([foreign(tmp_path / "other.ipynb"), "--assignment", A1], f"is no notebook of {A1}"),
    ]:
        assert main(["grade", *arguments, "--output", str(output)]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert sentence in said.err
        assert said.err.count("\n") == 1
        assert not output.exists()


@pytest.mark.parametrize("form", ["text", "json", "junit", "github"])
def test_notebooks_that_cannot_be_read_are_told_and_the_others_graded(
    form: str,
    tmp_path: Path,
    right: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    output = tmp_path / "out"
    others = [
        write(tmp_path / "no.ipynb", '{"cells": 3}'),
        foreign(tmp_path / "other.ipynb"),
        str(tmp_path / "missing.ipynb"),
    ]
    arguments = [others[0], right, *others[1:], f"--format={form}", f"--output={output}"]
    assert main(["grade", *arguments, "--fail-under=100"]) == 2
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("autograder:")]
    assert [any(path in line for line in told) for path in others] == [True] * 3
    assert len(told) == 3
    assert right in output.read_text()
    if form == "json":
        assert [one["submission"] for one in json.loads(output.read_text())] == [right]


def test_where_no_notebook_can_be_read_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    paths = [write(tmp_path / "no.ipynb", "no"), str(tmp_path / "missing.ipynb")]
    assert main(["grade", *paths, f"--output={output}"]) == 2
    assert capsys.readouterr().err.count("\n") == 2
    assert not output.exists()


def test_an_output_folder_that_does_not_exist_is_told_before_grading(
    right: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", right, "--output", str(tmp_path / "none" / "out.json")]) == 2
    assert "is no folder" in capsys.readouterr().err


def test_outside_a_course_the_sentence_says_where_to_go(
    right: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["grade", right]) == 2
    assert "run this inside the course folder" in capsys.readouterr().err


def test_a_wrong_option_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(["grade", "x.ipynb", "--format", "xml"])
    assert error.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_fault_of_the_grader_is_ungraded_and_exits_3(
    right: str,
    a1: Assignment,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    broken = tmp_path / "checks"
    shutil.copytree(a1.checks, broken / A1)
    edit(broken / A1 / "check_attention.py", "values=6", "values=7")
    monkeypatch.setattr("autograder.course.assignments.CHECKS", broken)
    assert main(["grade", right, "--format=json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "ungraded"
    assert "the checks of attention are worth" in found["reason"]


@pytest.mark.parametrize("ended_in", [None, RuntimeError, OSError, Ungraded])
def test_ctrl_c_is_told_in_one_sentence_whatever_it_ends_in(
    ended_in: type[Exception] | None,
    right: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        try:
            raise KeyboardInterrupt
        finally:
            if ended_in is not None:  # as in `Thread.join` while the thread ends
                raise ended_in("release unlocked lock")

    monkeypatch.setattr(Course, "find", interrupted)
    assert main(["grade", right]) == 130
    assert capsys.readouterr().err == "autograder: stopped\n"
    assert main(["batch", A1]) == 130
    assert capsys.readouterr().err == "autograder: stopped: run it again to go on from here\n"


@pytest.mark.parametrize("behind_itself", [False, True])
def test_an_error_before_which_nobody_pressed_ctrl_c_is_none_of_it(
    behind_itself: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        error, other = RuntimeError("nobody expects it"), ValueError("nor this")
        other.__context__ = error if behind_itself else None
        raise error from other

    monkeypatch.setattr(Course, "find", broken)
    with pytest.raises(RuntimeError, match="nobody expects it"):
        main(["batch", A1])


def test_a_check_file_that_is_missing_is_wrong_usage(
    right: str,
    a1: Assignment,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "checks" / A1).mkdir(parents=True)
    monkeypatch.setattr("autograder.course.assignments.CHECKS", tmp_path / "checks")
    assert main(["grade", right]) == 2
    said = capsys.readouterr()
    assert "has no check_positional_encoder.py" in said.err
    assert said.out == ""


@pytest.mark.parametrize("percent", ["nan", "150", "-1", "inf", "half"])
def test_a_threshold_that_is_no_percentage_is_a_usage_error(
    percent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as error:
        main(["grade", "x.ipynb", f"--fail-under={percent}"])
    assert error.value.code == 2
    said = capsys.readouterr().err
    assert f"{percent} is no percentage: give a number from 0 to 100" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("port", ["0", "65536", "http"])
def test_a_port_that_is_none_is_a_usage_error(
    port: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as error:
        main(["serve", f"--port={port}"])
    assert error.value.code == 2
    assert f"{port} is no port: give 1 to 65535" in capsys.readouterr().err


@pytest.mark.parametrize("count", ["0", "-2", "two"])
def test_a_number_of_workers_that_is_none_is_a_usage_error(
    count: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as error:
        main(["batch", "mini", f"--jobs={count}"])
    assert error.value.code == 2
    assert f"{count} is no number of workers: give at least 1" in capsys.readouterr().err


def test_who_reads_no_further_leaves_no_traceback(right: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "autograder", "grade", right]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_question_that_there_is_none_of_has_no_mutants(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["--question", "attention", "--question", "attentoin"]  # each of several is looked at
    assert main(["mutants", A1, *asked]) == 2
    assert "no question is called 'attentoin': there are attention, " in capsys.readouterr().err


def test_expected_tensors_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["expected", "--check"]) == 0
    assert f"{A1}: up to date" in capsys.readouterr().out
