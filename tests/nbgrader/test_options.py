"""What a configuration sets in vain is told before anybody's grade rests on it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT
from mini_course import MINI, MiniCourse, make_course
from nbgrader.plugins import BasePlugin
from traitlets.config.loader import Config

from autograder.cli import main
from autograder.course.assignments import CONFIG_NAME
from autograder.course.settings import read_config
from autograder.errors import UsageError
from autograder.nbgrader.options import expect_late_rule, misspelt

LATE = 'c.AssignLatePenalties.plugin_class = "autograder.nbgrader.late.PercentPerDay"\n'
RULE = """
from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Float

class Fixed(LateSubmissionPlugin):
    cost = Float(1.0).tag(config=True)

    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return self.cost
"""


def config_of(folder: Path, lines: str) -> Config:
    with (folder / CONFIG_NAME).open("a") as file:
        file.write(f"\nc = get_config()\n{lines}\n")
    return read_config(folder)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (f"{LATE}c.PercentPerDay.at_mots = 20", "PercentPerDay.at_mots, .* do you mean at_most"),
        (f"{LATE}c.PercentPerDay.extra_day = {{}}", "which nothing reads: do you mean extra_days"),
        (f"{LATE}c.PercentPerDay.grace = 2", "which nothing reads: do you mean grace_hours"),
        (f"{LATE}c.PercentPerDay.percent = 'x'", "wrong value: .*'percent'.* expected a float"),
        (f"{LATE}c.PercentPerDay.extra_days = {{'demo-x': 'three'}}", "'extra_days'.*'three'"),
        (f"{LATE}c.PercentPerDay.extra_days = {{7: 1}}", "Keys of the 'extra_days' trait"),
        ("c.LateSubmissionPlugin.penalty_methd = 'zero'", "do you mean penalty_method"),
        ("c.AssignLatePenalties.plugin_clas = 'own.P'", "do you mean plugin_class"),
        ("c.AssignLatePenalties.plugin_class = 'own_rule_gone.P'", "gone.P, which cannot be used"),
        ("c.AssignLatePenalties.plugin_class = 'pathlib.Path'", "is no nbgrader plugin with"),
        ("c.AssignLatePenalties.plugin_class = 5", "is 5, which cannot be used"),
    ],
)
def test_a_rule_of_lateness_that_cannot_hold_gets_one_sentence(
    tmp_path: Path, lines: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        expect_late_rule(config_of(tmp_path, lines), tmp_path)


class Bare(BasePlugin):  # type: ignore[misc]
    """A plugin that is no rule of lateness."""


class Failing(BasePlugin):  # type: ignore[misc]
    """A rule of lateness that cannot be made."""

    def __init__(self, **settings: object) -> None:
        raise LookupError("no table of days")

    def late_submission_penalty(self) -> None:
        """Nothing."""


@pytest.mark.parametrize(
    ("kind", "said"),
    [(Bare, "no nbgrader plugin with"), (Failing, "used: LookupError: no table of days: name")],
)
def test_so_does_one_that_is_given_as_a_class(tmp_path: Path, kind: type, said: str) -> None:
    config = Config()
    config.AssignLatePenalties.plugin_class = kind
    with pytest.raises(UsageError, match=said):
        expect_late_rule(config, tmp_path)


def test_an_option_of_a_class_without_any_is_to_be_taken_out(tmp_path: Path) -> None:
    class Simple(BasePlugin):  # type: ignore[misc]
        late_submission_penalty = None

    config = Config()
    config.AssignLatePenalties.plugin_class = Simple
    config.Simple.days = 3
    with pytest.raises(UsageError, match=r"c\.Simple\.days, .* reads: take it out"):
        expect_late_rule(config, tmp_path)


@pytest.mark.parametrize(
    "lines",
    [
        "",
        LATE,
        f"{LATE}c.PercentPerDay.extra_days = {{'demo-x': 3}}\nc.PercentPerDay.percent = 5",
        f"{LATE}c.LateSubmissionPlugin.at_most = 20",
        "c.LateSubmissionPlugin.penalty_method = 'zero'",
        "from nbgrader.plugins import LateSubmissionPlugin as P\n"
        "c.AssignLatePenalties.plugin_class = P",
    ],
)
def test_a_rule_that_holds_is_left_in_peace(tmp_path: Path, lines: str) -> None:
    expect_late_rule(config_of(tmp_path, lines), tmp_path)


def test_batch_refuses_it_before_it_grades(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    course = MiniCourse(make_course(tmp_path))
    course.hand_in("demo-student")
    config_of(tmp_path, f"{LATE}c.PercentPerDay.at_mots = 20")
    monkeypatch.chdir(tmp_path)
    assert main(["batch", MINI]) == 2
    assert capsys.readouterr().err == (
        f"autograder: {CONFIG_NAME} sets c.PercentPerDay.at_mots, which nothing reads: "
        "do you mean at_most?\n"
    )
    assert not course.scores()


def test_batch_finds_a_rule_in_a_file_of_the_course(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    course = MiniCourse(make_course(tmp_path))
    stamp = course.hand_in("demo-student").with_name("timestamp.txt")
    stamp.write_text("2026-11-05 14:00:00 UTC")
    with course.gradebook() as gradebook:
        gradebook.update_or_create_assignment(MINI, duedate="2026-11-04 12:00:00 UTC")
    (tmp_path / "rule_of_this_test.py").write_text(RULE)
    rule = "c.AssignLatePenalties.plugin_class = 'rule_of_this_test.Fixed'\n"
    config_of(tmp_path, f"{rule}c.Fixed.cost = 0.5")
    monkeypatch.chdir(tmp_path)
    assert main(["batch", MINI, "--jobs", "1"]) == 0, capsys.readouterr().err
    with course.gradebook() as gradebook:
        assert gradebook.find_submission(MINI, "demo-student").late_submission_penalty == 0.5


@pytest.mark.parametrize(
    ("option", "near"),
    [
        ("Autograde.create_studnt", "create_student"),
        ("BaseConverter.permission", "permissions"),
        ("CourseDirectory.submited_directory", "submitted_directory"),
        ("CourseDirectry.root", "CourseDirectory"),
        ("GenerateFeedback.preprocesors", "preprocessors"),
        ("IntakeExporter.max_byte", "max_bytes"),
        ("LMSCollector.timezon", "timezone"),
    ],
)
def test_a_misspelt_option_of_a_class_of_nbgraders_is_found(option: str, near: str) -> None:
    section, name = option.split(".")
    found = list(misspelt(Config({section: Config({name: 1})})))
    assert len(found) == 1
    assert found[0].endswith(f"which nothing reads: do you mean {near}?")


def test_nothing_that_the_pages_and_the_course_set_is_called_misspelt() -> None:
    config = read_config(ROOT)
    text = "".join(path.read_text() for path in [ROOT / CONFIG_NAME, *(ROOT / "docs").glob("*.md")])
    options = set(re.findall(r"\bc\.([A-Z]\w+)\.(\w+)", text))
    assert len(options) > 20
    for section, name in options:
        config[section].setdefault(name, 1)
    config.OurCollector.attempts = 3
    config.ServerApp.port = 8888
    assert list(misspelt(config)) == []
