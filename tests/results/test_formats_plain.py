"""Text and JSON, and that nothing a student wrote commands GitHub's runner."""

from __future__ import annotations

import errno
import json
import os
import unicodedata
from pathlib import Path

import pytest
from results_to_show import HOSTILE, IN_BOX, MIXED, RIGHT, UNGRADED, commands_in

from autograder.errors import UsageError
from autograder.results.formats import FORMATS, write_results
from autograder.results.formats.commands import command, without_commands
from autograder.results.model import SubmissionResult


def test_the_hostile_text_does_hold_commands() -> None:
    assert commands_in(HOSTILE) == ["set-output", "add-mask", "set-output"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("result", [MIXED, IN_BOX, UNGRADED], ids=["mixed", "in-box", "ungraded"])
def test_no_format_prints_a_command_or_a_control_character_of_a_student(
    form: str,
    result: SubmissionResult,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.delenv("GITHUB_OUTPUT", raising=False)
    write_results([result], form, None)
    said = capsys.readouterr().out
    assert set(commands_in(said)) <= ({"error", "notice"} if form == "github" else set())
    assert {c for c in said if unicodedata.category(c) == "Cc"} == {"\n"}


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_written_to_a_file_as_utf8(form: str, tmp_path: Path) -> None:
    output = tmp_path / "out"
    write_results([MIXED], form, output)
    assert "self_attention" in output.read_text(encoding="utf-8")


def test_an_output_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out"
    write_results([RIGHT], "json", output)
    before = output.read_text(encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        with pytest.raises(UsageError, match=f"cannot write {output}: No space left"):
            write_results([MIXED], "json", output)
    assert output.read_text(encoding="utf-8") == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    write_results([MIXED], "json", output)
    assert output.read_text(encoding="utf-8") != before


def test_an_output_may_be_a_pipe_or_a_link_and_stays_one(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_results([RIGHT], "text", pipe)
    assert b"self_attention" in os.read(reader, 100_000)
    os.close(reader)
    link.symlink_to(tmp_path / "far")
    write_results([RIGHT], "text", link)
    assert pipe.is_fifo()
    assert link.is_symlink()
    assert "self_attention" in (tmp_path / "far").read_text(encoding="utf-8")


def test_an_output_that_cannot_be_written_gets_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot write .*: Is a directory"):
        write_results([RIGHT], "junit", tmp_path)


def test_json_gives_back_the_very_text() -> None:
    output = json.dumps(MIXED.as_dict())
    assert SubmissionResult.from_dict(json.loads(output)) == MIXED


def test_printed_json_differs_in_spelling_only(capsys: pytest.CaptureFixture[str]) -> None:
    write_results([MIXED], "json", None)
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(MIXED.as_dict()))
    write_results([MIXED, UNGRADED], "json", None)
    found = json.loads(capsys.readouterr().out)
    assert [result["status"] for result in found] == ["graded", "ungraded"]


def test_a_command_of_ours_stays_one_line_and_one_command() -> None:
    made = command("error", "50%\r\n::error::x", file="a,b:c\n.ipynb", title="t")
    assert made == "::error file=a%2Cb%3Ac%0A.ipynb,title=t::50%25%0D%0A::error::x"
    assert commands_in(made) == ["error"]


def test_text_without_commands_stays_as_it_is() -> None:
    text = "a::b\n x[::2]\n#[1]\n: :"
    assert without_commands(text) == text
