"""Grading starts only where it is safe: tiers, canaries, settings, and what the doctor says."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import ROOT
from mini import mini_assignment
from mini_course import MINI, edit, make_course

from autograder.box.outside.canaries import HELD, Canary, breaches, guard_against_breaches
from autograder.box.outside.zygotes import StartedZygote, Zygote
from autograder.cli import main
from autograder.commands.doctor import STOPS
from autograder.course.assignments import CONFIG_NAME
from autograder.course.limits import Limits
from autograder.course.settings import read_settings, settings_from
from autograder.errors import Ungraded, UsageError
from autograder.grading.grader import Grader


@pytest.mark.usefixtures("own_zygotes")
def test_the_doctor_finds_grading_here_safe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "sandbox: " in said
    assert said.count("held") >= 10
    assert "cell_seconds" in said
    assert "torch 2.13.0" in said
    assert said.endswith("grading here is safe\n")


@pytest.mark.usefixtures("own_zygotes")
@pytest.mark.parametrize(
    ("changed", "old", "new", "found"),
    [
        (
            "source/mini/mini.ipynb",
            "def double(x):",
            "def double(x):  # twice",
            "in release/ is not what",
        ),
        ("checks/mini/check_double.py", "2 * x", "3 * x", "fails its own checks under Python"),
        (
            "release/mini/mini.ipynb",
            "print(double(torch.ones(1)))",
            "check('double')",
            "students see `check(...)` in the cell check_double of mini, and have no `check`",
        ),
        (
            "release/mini/mini.ipynb",
            "print(double(torch.ones(1)))",
            "assert double(1) == 3",
            "the solution fails what students see: the cell check_double raised AssertionError",
        ),
    ],
)
def test_what_is_not_in_order_is_no_matter_of_safety(
    changed: str,
    old: str,
    new: str,
    found: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = make_course(tmp_path / "course")
    edit(folder / changed, old, new)
    monkeypatch.chdir(folder)
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert f"BAD  {MINI}: " in said
    assert found in said
    assert said.endswith("grading here is safe, but not all is in order\n")


def doctors_words(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """What it says of a course in which there is nothing to grade."""
    shutil.rmtree(folder / "checks")
    monkeypatch.chdir(folder)
    main(["doctor"])
    return capsys.readouterr().out


def test_options_that_nothing_reads_are_told_once_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_course(tmp_path / "course")
    with (folder / CONFIG_NAME).open("a") as file:
        file.write(
            'c.AssignLatePenalties.plugin_class = "autograder.nbgrader.late.PercentPerDay"\n'
        )
        file.write("c.PercentPerDay.at_mots = 20\nc.Autograde.create_studnt = False\n")
    said = doctors_words(folder, monkeypatch, capsys)
    for option, near in (("PercentPerDay.at_mots", "at_most"), ("Autograde.create_studnt", "")):
        sentence = f"BAD  {CONFIG_NAME} sets c.{option}, which nothing reads: do you mean {near}"
        assert said.count(sentence) == 1
    assert said.endswith("grading here is safe, but not all is in order\n")


@pytest.mark.parametrize(("value", "warned"), [("", True), ("0", True), ("1", False)])
def test_it_warns_where_nbgrader_would_go_on_without_its_configuration(
    value: str,
    warned: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(STOPS, value)
    said = doctors_words(make_course(tmp_path / "course"), monkeypatch, capsys)
    assert (f"WARN {STOPS} is not set: " in said) is warned
    assert said.endswith("grading here is safe\n")


def _nothing_to_grade(folder: Path) -> None:
    shutil.rmtree(folder / "checks")


def _a_broken_release(folder: Path) -> None:
    (folder / "release" / MINI / f"{MINI}.ipynb").write_text("<<<<<<< HEAD\n{}")


@pytest.mark.parametrize(
    ("spoil", "code"), [(_nothing_to_grade, 0), (_a_broken_release, 1)], ids=["none", "broken"]
)
def test_the_box_is_tried_whatever_becomes_of_the_assignments(
    spoil: Callable[[Path], None],
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = make_course(tmp_path / "course")
    spoil(folder)
    monkeypatch.chdir(folder)
    assert main(["doctor"]) == code
    said = capsys.readouterr().out
    assert "sandbox: " in said
    assert said.count("held") >= 10


def test_where_no_box_can_be_made_grading_is_not_called_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_course(tmp_path / "course")
    shutil.rmtree(folder / "checks")
    monkeypatch.chdir(folder)
    monkeypatch.setattr("autograder.box.outside.zygotes.ZYGOTE", "no_such_module")
    assert main(["doctor"]) == 1
    assert capsys.readouterr().out.endswith("grading here would NOT be safe\n")


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    with StartedZygote() as made:
        yield made


@pytest.mark.parametrize("tier", ["full", "restricted"])
def test_every_canary_fails_in_every_tier_that_confines(tmp_path: Path, tier: str) -> None:
    (tmp_path / "gradebook.db").write_text("secret")
    with StartedZygote(hidden=[tmp_path], at_most=tier) as zygote:
        found = list(breaches(zygote, tmp_path, Limits()))
    assert len(found) >= 10
    assert [name for name, got_through in found if got_through] == []


@pytest.mark.parametrize("tier", ["full", "restricted"])
def test_they_fail_too_where_the_grader_is_the_first_process_of_its_container(
    tmp_path: Path, tier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = SimpleNamespace(getpid=lambda: 1, path=os.path)
    monkeypatch.setattr("autograder.box.outside.canaries.os", first)
    with StartedZygote(hidden=[tmp_path], at_most=tier) as zygote:
        found = list(breaches(zygote, tmp_path, Limits()))
    assert [name for name, got_through in found if got_through] == []


def test_a_canary_that_gets_through_stops_the_run(
    zygote: Zygote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert HELD == "held"
    weak = [Canary("prints what it likes", "print('breach')")]
    monkeypatch.setattr("autograder.box.outside.canaries.canaries", lambda root: weak)
    with pytest.raises(Ungraded, match="that prints what it likes got through"):
        guard_against_breaches(zygote, tmp_path, Limits(), trust_notebooks=False)


def test_a_canary_that_ends_the_box_stops_the_run(
    zygote: Zygote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weak = [Canary("ends the box", "import os; os._exit(0)")]
    monkeypatch.setattr("autograder.box.outside.canaries.canaries", lambda root: weak)
    with pytest.raises(Ungraded, match="leaves the box whole got through"):
        guard_against_breaches(zygote, tmp_path, Limits(), trust_notebooks=False)


def test_without_a_sandbox_no_canary_does_to_the_machine_what_it_tries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weak = [Canary("prints what it likes", "print('breach')")]
    monkeypatch.setattr("autograder.box.outside.canaries.canaries", lambda root: weak)
    with StartedZygote(at_most="none") as zygote:
        assert list(breaches(zygote, tmp_path, Limits())) == []


def test_without_a_sandbox_nothing_is_graded_unless_the_notebooks_are_trusted(
    tmp_path: Path,
) -> None:
    with StartedZygote(at_most="none") as zygote:
        assert zygote.tier == "none"
        with pytest.raises(Ungraded, match="--trust-notebooks"):
            guard_against_breaches(zygote, tmp_path, Limits(), trust_notebooks=False)
        guard_against_breaches(zygote, tmp_path, Limits(), trust_notebooks=True)


def test_the_tier_stands_in_the_result(tmp_path: Path) -> None:
    from mini import answer

    assignment = mini_assignment(tmp_path)
    with Grader(assignment) as grader:
        result = grader.grade(answer(assignment), "x").result
        assert result.sandbox == grader.zygote.tier != "none"


def test_settings_come_from_the_courses_configuration(tmp_path: Path) -> None:
    (tmp_path / CONFIG_NAME).write_text(
        "c = get_config()\n"
        "c.GradeInBox.limits = {'memory_bytes': 1 << 30}\n"
        "c.GradeInBox.trust_notebooks = True\n"
        "c.Execute.timeout = 7\n"
    )
    settings = read_settings(tmp_path)
    assert (settings.limits.memory_bytes, settings.limits.cell_seconds) == (1 << 30, 7.0)
    assert settings.trust_notebooks
    (tmp_path / CONFIG_NAME).write_text("c = get_config()\n")
    assert read_settings(tmp_path).limits == Limits()


@pytest.mark.parametrize("timeout", [None, 0, -1])
def test_no_timeout_leaves_a_cell_the_time_of_the_submission(timeout: int | None) -> None:
    limits = settings_from({}, timeout, trust_notebooks=False).limits
    assert limits.cell_seconds == limits.submission_seconds


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ({"memory": 1}, "unknown limit 'memory'"),
        ({"memory_bytes": -1}, "memory_bytes in nbgrader_config.py is -1"),
        ({"cell_seconds": "ten"}, "is 'ten': give a number > 0"),
        ({"files": True}, "is True"),
        ({"file_bytes": 1.5e8 + 0.5}, "give a whole number > 0"),
        ({"memory_bytes": float("inf")}, "is inf: give a whole number > 0"),
        ({"probe_seconds": float("nan")}, "is nan: give a number > 0"),
        ({"search_seconds": -1}, "is -1: give a number >= 0"),
    ],
)
def test_a_wrong_limit_gets_one_sentence(found: dict[str, object], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        settings_from(found, 30, trust_notebooks=False)


def test_a_limit_of_whole_numbers_may_be_written_as_a_float() -> None:
    limits = settings_from({"memory_bytes": 2e9, "files": 1e3}, 30, trust_notebooks=False).limits
    assert (limits.memory_bytes, limits.files) == (2_000_000_000, 1000)
    assert {type(limits.memory_bytes), type(limits.files)} == {int}
