"""docs/authoring.md, followed to the letter in an empty folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

from autograder.results.stored import RESULT_NAME

PAGE = ROOT / "docs" / "authoring.md"
BLOCK = re.compile(
    r"(?:^`(?P<file>[^`\n]+)`:\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.M | re.S
)


def blocks() -> Iterator[tuple[str, str | None, str]]:
    for found in BLOCK.finditer(PAGE.read_text()):
        yield found["kind"], found["file"], found["text"]


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The course after the last step, and what the commands said."""
    course = tmp_path_factory.mktemp("followed")
    left = course / "left"
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    said = ""
    for kind, name, text in blocks():
        if kind == "python":
            assert name is not None, text
            path = course / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        else:
            done = subprocess.run(
                ["bash", "-e", "-c", f"{text}\npwd >{left}"],
                cwd=course,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            said += done.stdout + done.stderr
            assert done.returncode == 0, said
            course = Path(left.read_text().strip())
    return course, said


def test_the_page_makes_an_assignment_that_names_a_mistake(followed: tuple[Path, str]) -> None:
    course, said = followed
    assert course.name == "transformers"
    folder = course / "autograded" / "demo-variance" / "a2_scaling"
    result = json.loads((folder / RESULT_NAME).read_text())
    assert (result["score"], result["max_score"]) == (0.0, 30.0)
    assert "You divide by the variance." in said
    (question,) = [found for found in result["questions"] if found["slug"] == "standardize"]
    named = {check["name"]: check["misconception"] for check in question["checks"]}
    assert {named[aspect] for aspect in ("values", "sizes", "gradients", "kind")} == {"variance"}
    page = (course / "feedback" / "demo-variance" / "a2_scaling" / "a2_scaling.html").read_text()
    assert "You divide by the variance." in page


def test_the_page_names_the_files_that_it_makes(followed: tuple[Path, str]) -> None:
    course, _ = followed
    made = {p.name for p in (course / "checks" / "a2_scaling").rglob("*.*")}
    assert made >= {"check_standardize.py", "standardize.py", "standardize.safetensors"}
    released = (course / "release" / "a2_scaling" / "a2_scaling.ipynb").read_text()
    assert "YOUR CODE HERE" in released
    assert "autograder" not in released
    assert "HIDDEN" not in released


def test_the_page_sees_the_new_course_run(followed: tuple[Path, str]) -> None:
    course, _ = followed
    assert (course / "feedback" / "demo-empty" / "a1_softmax" / "a1_softmax.html").is_file()
    assert (course / "reports" / "a1_softmax.html").is_file()
    assert "demo-empty" in (course / "grades.csv").read_text()
