"""What a course's configuration says of grading is the same at every door."""

from __future__ import annotations

from pathlib import Path

import pytest
from traitlets.config import Config
from traitlets.config.loader import DeferredConfigString

from autograder.course.assignments import CONFIG_NAME
from autograder.course.limits import Limits
from autograder.course.settings import Settings, read_config, read_settings, settings_of
from autograder.errors import UsageError
from autograder.intake.inspection import IntakeExporter
from autograder.nbgrader.preprocessors import GradeInBox


@pytest.mark.parametrize(
    "lines",
    [
        "",
        "c.GradeInBox.limits = {'notebook_bytes': 5}",
        "c.GradeInBox.limits.update({'notebook_bytes': 5})",
        "c.GradeInBox.limits = {'cell_seconds': 1.5}\nc.Execute.timeout = 7",
        "c.GradeInBox.no_follow_through.append('a')\nc.GradeInBox.trust_notebooks = True",
        "c.Execute.timeout = 7",
        "c.GradeInBox.timeout = 8",
        "c.GradeInBox.take_unsettled = True\nc.Execute.interrupt_on_timeout = False",
        "c.GradeInBox.timeout = None",
    ],
)
def test_every_door_reads_the_same_settings(tmp_path: Path, lines: str) -> None:
    (tmp_path / CONFIG_NAME).write_text(f"c = get_config()\n{lines}\n")
    settings, config = read_settings(tmp_path), read_config(tmp_path)
    assert GradeInBox(config=config).settings() == settings
    exporter = IntakeExporter(config=config)
    assert exporter.notebook_bytes == settings.limits.notebook_bytes


def test_settings_of_the_command_line_are_understood() -> None:
    config = Config()
    config.GradeInBox.limits = DeferredConfigString("{'notebook_bytes': 5}")
    config.Execute.timeout = DeferredConfigString("9")
    limits = settings_of(config).limits
    assert (limits.notebook_bytes, limits.cell_seconds) == (5, 9.0)


@pytest.mark.parametrize("line", ["limits = 5", "timeout = 'long'", "no_follow_through = 3"])
def test_a_value_of_another_kind_gets_one_sentence(tmp_path: Path, line: str) -> None:
    (tmp_path / CONFIG_NAME).write_text(f"c = get_config()\nc.GradeInBox.{line}\n")
    with pytest.raises(UsageError, match=f"sets a wrong value: .*{line.split()[0]}.* expected"):
        read_settings(tmp_path)


@pytest.mark.parametrize("name", ["limist", "trust_notebook", "no_followthrough"])
def test_a_misspelt_option_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / CONFIG_NAME).write_text(f"c = get_config()\nc.GradeInBox.{name} = {{}}\n")
    with pytest.raises(UsageError, match=f"sets c.GradeInBox.{name}, .* do you mean "):
        read_settings(tmp_path)


@pytest.mark.parametrize("name", ["enabled", "kernel_name", "timeout_func", "startup_timeout"])
def test_what_nbgrader_reads_itself_is_none_of_ours(tmp_path: Path, name: str) -> None:
    (tmp_path / CONFIG_NAME).write_text(f"c = get_config()\nc.GradeInBox.{name} = None\n")
    assert read_settings(tmp_path) == Settings(Limits(), trust_notebooks=False)
