"""GitHub Actions: summary, annotations and the Classroom result."""

from __future__ import annotations

import base64
import json
import shlex
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from results_to_show import FAILED, HOSTILE, IN_BOX, MIXED, RIGHT, UNGRADED, commands_in

from autograder.results.formats import write_results
from autograder.results.formats.github import (
    CLASSROOM_BYTES,
    SUMMARY_BYTES,
    annotation_lines,
    classroom,
)
from autograder.results.formats.github import summary as summary_of
from autograder.results.model import QuestionResult, SubmissionResult

OURS = {
    *("h2", "p", "code", "table", "tr", "th", "td", "ul", "li", "details", "summary", "pre"),
}


class Shown(HTMLParser):
    """What GitHub makes of Markdown: its elements and its text."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(MarkdownIt("gfm-like", {"linkify": False}).render(markdown))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the files of a step of GitHub Actions."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    return tmp_path


def big(questions: int) -> SubmissionResult:
    """A result whose reports would take far more than GitHub shows."""
    failed = replace(FAILED, message="<&>" * 30_000)
    made = [QuestionResult(f"q{n}", "wrong", 0.0, 3.0, [failed]) for n in range(questions)]
    return replace(MIXED, questions=made)


def test_the_summary_has_only_elements_of_ours_and_the_text_of_a_student_as_text() -> None:
    shown = Shown(summary_of([MIXED, IN_BOX, UNGRADED]))
    assert set(shown.tags) <= OURS
    assert shown.tags.count("details") == len(MIXED.questions) + len(IN_BOX.questions)
    assert HOSTILE.splitlines()[0] in shown.text
    assert "# 100 of 100" in shown.text
    assert "6.5 of 9.5 points" in shown.text
    assert MIXED.flags[0] in shown.text


def test_what_is_ungraded_has_no_points_anywhere() -> None:
    shown = Shown(summary_of([UNGRADED]))
    assert "ungraded" in shown.text
    assert "Broken pipe" in shown.text
    assert "point" not in shown.text
    [error, notice] = annotation_lines([UNGRADED])
    assert error.startswith("::error file=s02.ipynb,title=ungraded::the zygote is gone:%0A")
    assert notice.endswith("::a1_attention_blocks: ungraded")


def test_a_summary_stays_below_one_mebibyte_and_says_that_it_was_cut() -> None:
    made = summary_of([big(60)])
    assert SUMMARY_BYTES / 2 < len(made.encode()) <= SUMMARY_BYTES < 1 << 20
    shown = Shown(made)
    assert "left out" in shown.text
    assert 0 < shown.tags.count("details") < 60
    assert made.count("<details>") == made.count("</details>")


def test_the_summary_is_added_to_what_the_step_has_written(
    step: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (step / "summary").write_text("x" * 950_000)
    write_results([big(60)], "github", None)
    written = (step / "summary").read_text()
    assert written.startswith("xxx")
    assert "left out" in written
    assert len(written.encode()) <= SUMMARY_BYTES
    assert "<h2>" not in capsys.readouterr().out


def test_output_takes_the_summary_elsewhere(step: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_results([MIXED], "github", step / "mine.md")
    assert "6.5 of 9.5 points" in (step / "mine.md").read_text()
    assert not (step / "summary").exists()
    assert commands_in(capsys.readouterr().out) == ["error", "notice"]


def test_every_question_that_lost_points_is_annotated_up_to_githubs_limit() -> None:
    [error, notice] = annotation_lines([MIXED])
    assert error.startswith(
        "::error file=s01/a1_attention_blocks.ipynb,title=attention%3A 2 of 5 points::"
        "The values are right.%0A"
    )
    assert notice.endswith("::a1_attention_blocks: 6.5 of 9.5 points")
    lines = annotation_lines([big(60)])
    assert sum(line.startswith("::error") for line in lines) == 10
    assert all("\n" not in line and len(line) < 10_000 for line in lines)


def test_classroom_gets_the_points_of_every_check(step: Path) -> None:
    write_results([MIXED], "github", None)
    name, encoded = (step / "output").read_text().rstrip("\n").split("=", 1)
    assert name == "result"
    found = json.loads(base64.b64decode(encoded))
    assert (found["version"], found["status"], found["max_score"]) == (1, "fail", 9.5)
    assert sum(test["score"] for test in found["tests"]) == 6.5
    assert [test["status"] for test in found["tests"]] == ["pass", "fail", "pass"]
    assert all(commands_in(test["message"] + "\n" + test["name"]) == [] for test in found["tests"])
    assert json.loads(classroom([RIGHT]))["status"] == "pass"


def test_classroom_is_told_no_score_as_long_as_anything_is_ungraded() -> None:
    found = json.loads(classroom([MIXED, UNGRADED]))
    assert (found["status"], found["max_score"]) == ("error", 0)
    assert found["tests"][-1]["status"] == "error"


def test_a_classroom_result_fits_into_an_environment_variable() -> None:
    many = replace(MIXED, questions=big(300).questions)
    encoded = base64.b64encode(classroom([many]).encode())
    assert len(encoded) < 128 * 1024
    assert len(classroom([many])) <= CLASSROOM_BYTES
    assert len(json.loads(classroom([many]))["tests"]) == 300
    assert shlex.quote(encoded.decode()) == encoded.decode()


@pytest.mark.parametrize(("questions", "tests"), [(40, 40), (800, 1)])
def test_a_classroom_result_of_too_many_checks_tells_of_questions_or_of_the_notebook(
    questions: int, tests: int
) -> None:
    checks = [replace(RIGHT.questions[0].checks[0], points=0.5)] * 20
    made = [QuestionResult(f"q{n}", "ok", 10.0, 10.0, checks) for n in range(questions)]
    most = 10.0 * questions
    text = classroom([replace(RIGHT, questions=made, score=most, max_score=most)])
    found = json.loads(text)
    assert len(text) <= CLASSROOM_BYTES
    assert len(found["tests"]) == tests
    assert sum(test["score"] for test in found["tests"]) == found["max_score"] == most
    assert {test["status"] for test in found["tests"]} == {found["status"]} == {"pass"}
