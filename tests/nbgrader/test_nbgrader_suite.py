"""nbgrader's own tests, from the installed wheel, in a course with our preprocessors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree

import pytest
from conftest import ROOT

MODULES = ("autograde", "generate_feedback", "update", "export", "releasefeedback")
SECTIONS = ("Autograde", "GenerateAssignment", "GenerateFeedback", "HTMLExporter")
AT_LEAST = 70  # of nbgrader's tests pass

CANNOT_APPLY = {
    "test_side_effects": "it wants a file that student code wrote among the graded ones; what is "
    "written in a box goes with the box",
}
LEFT_OUT_BY_NBGRADER = {
    "test_many_students",
    "test_infinite_loop_with_output",
}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Gives every nbgrader command of these tests the preprocessors and exporters of the course."""
    text = f"""
    from pathlib import Path
    from traitlets.config import Config

    path, course = Path({str(ROOT / "nbgrader_config.py")!r}), Config()
    exec(path.read_text(), {{"get_config": lambda: course, "__file__": str(path)}})
    c = get_config()
    for section in {SECTIONS!r}:
        c[section].merge(course[section])
    """
    (tmp_path / "nbgrader_config.py").write_text(dedent(text))
    return {
        **os.environ,
        "HOME": str(tmp_path),
        "JUPYTER_CONFIG_DIR": str(tmp_path),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT / "tests"),
        "PYTHONWARNINGS": "ignore",
    }


def test_nbgraders_own_tests_pass(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    report = tmp_path / "report.xml"
    command = [sys.executable, "-m", "pytest", f"--junit-xml={report}", "--quiet", "--tb=short"]
    command += ["-p", "no:randomly", "-p", "no:cacheprovider", "-p", "nbgrader_plugin"]
    command += ["--pyargs", *(f"nbgrader.tests.apps.test_nbgrader_{name}" for name in MODULES)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert report.is_file(), done.stdout + done.stderr
    outcomes: dict[str, set[str]] = {"passed": set(), "skipped": set(), "failed": set()}
    for case in ElementTree.parse(report).iter("testcase"):
        found = {child.tag for child in case} & {"skipped", "failure", "error"}
        outcome = "skipped" if found == {"skipped"} else "failed" if found else "passed"
        outcomes[outcome].add(f"{case.attrib['classname']}::{case.attrib['name']}")
    assert names(outcomes["failed"]) == set(CANNOT_APPLY), done.stdout
    assert names(outcomes["skipped"]) == LEFT_OUT_BY_NBGRADER
    assert len(outcomes["passed"]) >= AT_LEAST


def names(tests: set[str]) -> set[str]:
    return {test.rpartition("::")[2] for test in tests}
