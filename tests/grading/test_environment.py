"""The environment of whoever grades changes no verdict."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mini import answer, mini_assignment

from autograder.course.assignments import Assignment
from autograder.grading.check_package import CheckPackage
from autograder.grading.grader import Grader
from autograder.grading.judge import Judge
from autograder.results.text import submission_text

WRONG = "def double(x):\n    return 3 * x"
ENDS = "import autograder.grading.judge as j, pathlib; j.Judge([pathlib.Path('x.py')], None)"


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    return mini_assignment(tmp_path_factory.mktemp("mini"))


@pytest.fixture
def grader(mini: Assignment) -> Iterator[Grader]:
    """Collects its checks in the test's environment."""
    with Grader(mini) as fresh:
        yield fresh


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTEST_ADDOPTS", "-k nothing"),
        ("PYTEST_ADDOPTS", "--junitxml=checks.xml"),
        ("PYTEST_ADDOPTS", "--collect-only -p no_such_plugin"),
        ("PYTEST_ADDOPTS", "--override-ini=python_functions=test_*"),
        ("PYTEST_ADDOPTS", "'"),
        ("PYTEST_PLUGINS", "no_such_plugin"),
        ("PYTEST_DEBUG", "1"),
        ("PYTEST_THEME", "no such theme"),
    ],
)
def test_options_for_other_tests_are_none_for_checks(
    name: str,
    value: str,
    grader: Grader,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, value)
    right, wrong = answer(grader.assignment), answer(grader.assignment, double=WRONG)
    result = grader.grade(right, "right").result
    assert result.score == 10, submission_text(result)
    assert grader.grade(wrong, "wrong").result.question("double").score == 0
    assert os.environ[name] == value
    assert list(tmp_path.iterdir()) == []


def test_no_folder_is_listed_but_that_of_the_checks(
    mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[Path] = []

    def listing(path: Any, list_it: Callable[..., Any] = os.scandir) -> Any:
        listed.append(Path(path))
        return list_it(path)

    monkeypatch.setattr(os, "scandir", listing)
    checks = mini.check_file("double").parent
    Judge([mini.check_file("double")], CheckPackage(checks))
    assert {path for path in listed if path in checks.parents} == set()


@pytest.mark.parametrize("level", ["1", "2"])
def test_nobody_is_graded_by_checks_whose_assertions_are_taken_out(level: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDS],
        env={**os.environ, "PYTHONOPTIMIZE": level},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Unready: under `python -O` checks assert nothing: unset PYTHONOPTIMIZE" in done.stderr
