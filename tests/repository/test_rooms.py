"""The rooms of the engine: what each may load."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import ROOT

LIGHT = (
    "autograder.cli",
    "autograder.batch.run",
    "autograder.nbgrader.exporters",
    "autograder.nbgrader.late",
    "autograder.nbgrader.preprocessors",
    "autograder.pages.class_report.page",
    "autograder.pages.feedback.exporter",
)


@pytest.mark.parametrize("module", LIGHT)
def test_who_runs_no_notebook_loads_neither_torch_nor_pytest(module: str) -> None:
    tell = "print(*{'torch', 'pytest'} & set(sys.modules))"
    found = subprocess.run(
        [sys.executable, "-c", f"import sys, {module}; {tell}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.split() == []
