"""What every course's configuration shares, and that a course's own settings are kept."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from traitlets import import_item
from traitlets.config.loader import Config

from autograder.cli import main
from autograder.commands import USAGE
from autograder.course.configuration import SETTINGS, configure, expect_box
from autograder.course.settings import read_config

CALL = "from autograder.course.configuration import configure\nc = get_config()\n"
LATE = "nbgrader.preprocessors.AssignLatePenalties"


def read(folder: Path, before: str = "", after: str = "") -> Config:
    text = f"{CALL}{before}\nconfigure(c, __file__)\n{after}\n"
    (folder / "nbgrader_config.py").write_text(text)
    return read_config(folder)


def named_classes(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from named_classes(one)
    elif isinstance(value, str):
        yield value


def test_every_class_that_is_named_exists() -> None:
    names = [name for name in named_classes(SETTINGS) if "." in name]
    assert len(names) > 25
    assert all(callable(import_item(name)) for name in names)


def test_the_course_lies_where_its_configuration_does(tmp_path: Path) -> None:
    assert read(tmp_path).CourseDirectory.root == str(tmp_path)


def test_a_setting_below_the_call_wins(tmp_path: Path) -> None:
    config = read(tmp_path, after="c.GenerateFeedback.exporter_class = 'mine'")
    assert config.GenerateFeedback.exporter_class == "mine"
    assert (
        config.GenerateFeedback.preprocessors == SETTINGS["GenerateFeedback"]["preprocessors"]
    )  # the others of the section stay


def test_a_setting_above_the_call_is_not_lost(tmp_path: Path) -> None:
    above = "c.HTMLExporter.sanitize_html = 'mine'\nc.CourseDirectory.root = '/mine'"
    config = read(tmp_path, before=above)
    assert (config.HTMLExporter.sanitize_html, config.CourseDirectory.root) == ("mine", "/mine")


@pytest.mark.parametrize("where", ["before", "after"])
def test_what_is_added_to_a_list_comes_after_what_is_there(tmp_path: Path, where: str) -> None:
    added = "c.Autograde.autograde_preprocessors.append('mine')"
    shared = copy.deepcopy(SETTINGS["Autograde"]["autograde_preprocessors"])
    config = read(tmp_path, **{where: added})
    assert config.Autograde.autograde_preprocessors == [*shared, "mine"]
    assert SETTINGS["Autograde"]["autograde_preprocessors"] == shared


@pytest.mark.parametrize("added", ["", "c.Autograde.autograde_preprocessors.append('mine')"])
def test_a_course_that_makes_the_call_grades_in_a_box(tmp_path: Path, added: str) -> None:
    expect_box(read(tmp_path, after=added))
    own = "from autograder.nbgrader.preprocessors import GradeInBox\n\n\nclass Own(GradeInBox):\n"
    steps = "c.Autograde.autograde_preprocessors = [Own]"
    expect_box(read(tmp_path, before=f"{own}    pass\n\n\n{steps}\n"))


@pytest.mark.parametrize(
    "text",
    [
        "c = get_config()\n",
        "c = get_config()\nc.Autograde.autograde_preprocessors.append('mine')\n",
        f"{CALL}c.Autograde.autograde_preprocessors = ['nbgrader.preprocessors.Execute']\n"
        "configure(c, __file__)\n",
        f"{CALL}configure(c, __file__)\n"
        "c.Autograde.autograde_preprocessors.append('nbgrader.preprocessors.Execute')\n",
    ],
)
@pytest.mark.parametrize("command", [["batch", "a1"], ["batch", "a1", "--preview"], ["new", "a1"]])
def test_nothing_is_graded_where_nbgrader_would_run_it_without_a_box(
    tmp_path: Path,
    text: str,
    command: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "nbgrader_config.py").write_text(text)
    (tmp_path / "source" / "a1").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert main(command) == USAGE
    said = capsys.readouterr().err
    assert "outside of the box" in said
    assert "configure(c, __file__)" in said


def test_two_courses_share_no_list() -> None:
    first, second = Config(), Config()
    configure(first, __file__)
    configure(second, __file__)
    first.Autograde.autograde_preprocessors.remove(LATE)
    assert LATE in second.Autograde.autograde_preprocessors


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("c = get_config()\nc.X.y =\n", 2, "SyntaxError: invalid syntax"),
        ("\n\nimport not_there\n", 3, "ModuleNotFoundError: No module named 'not_there'"),
        ("raise SystemExit('no')\n", 1, "SystemExit: no"),
        ("def f():\n    return 1 / 0\n\nf()\n", 2, "ZeroDivisionError: division by zero"),
    ],
)
def test_a_configuration_that_does_not_run_is_one_sentence_that_names_the_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    line: int,
    why: str,
) -> None:
    (tmp_path / "nbgrader_config.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert main(["doctor"]) == 2
    said = capsys.readouterr().err
    path = tmp_path / "nbgrader_config.py"
    assert said == f"autograder: {path} fails in line {line}, mend it first: {why}\n"
