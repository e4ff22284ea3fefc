"""The rooms of the engine: what each may load."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from conftest import IDS, ROOT

from autograder.files import PACKAGE

LIGHT = (
    "autograder.cli",
    "autograder.batch.preview",
    "autograder.batch.run",
    "autograder.nbgrader.exporters",
    "autograder.nbgrader.late",
    "autograder.nbgrader.preprocessors",
    "autograder.pages.class_report.page",
    "autograder.pages.course_report.page",
    "autograder.pages.feedback.exporter",
)


@cache
def loaded_with(module: str) -> set[str]:
    """What an interpreter has loaded that has started empty and imported this module."""
    command = [sys.executable, "-c", f"import sys, {module}; print(*sys.modules)"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(found.stdout.split())


@pytest.mark.parametrize("module", LIGHT)
def test_who_runs_no_notebook_loads_neither_torch_nor_pytest(module: str) -> None:
    assert module in loaded_with(module)
    assert loaded_with(module) & {"torch", "pytest"} == set()


@pytest.mark.parametrize("module", [*LIGHT, "autograder.grading.grader", "autograder.farm.local"])
def test_who_grades_loads_nothing_of_the_check_service(module: str) -> None:
    service = {"autograder.service", "jwt", "starlette", "uvicorn"}
    assert loaded_with(module) & service == set()


@pytest.mark.parametrize("module", ["autograder.cli", "autograder.farm", "autograder.helper"])
def test_processes_of_its_own_make_no_grammar_of_uris(module: str) -> None:
    loaded = loaded_with(f"{module}, nbformat.validator")
    assert "jsonschema" in loaded
    assert "lark" not in loaded


def is_text(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts


def test_the_engine_names_no_assignment() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*") if is_text(path)}
    assert len(texts) > 100
    named = [(path.name, name) for path, text in texts.items() for name in IDS if name in text]
    assert named == []


def sentences(path: Path) -> Iterator[str]:
    """What stands in a file of check code as one sentence, but for docstrings."""
    tree = ast.parse(path.read_text())
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
    for text in (node.value for node in texts if id(node) not in told):
        if isinstance(text, str) and text.endswith(".") and " " in text:
            yield text


def test_no_sentence_of_the_checks_stands_in_two_places() -> None:
    files = [*(ROOT / "checks").glob("*/*.py"), *PACKAGE.glob("checking/*.py")]
    found = Counter(sentence for path in files for sentence in sentences(path))
    assert len(found) > 150
    assert [sentence for sentence, count in found.items() if count > 1] == []
