"""Takes the pictures of README.md: a feedback page and the class report of the sample class.

    python tools/take_pictures.py

Needs Chromium. It grades the class in a copy of the course, and leaves yours as it is.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from sample_class import ROOT, hand_in, samples

ASSIGNMENT = "a1_attention_blocks"
STUDENT = "demo-cosine-uses-odd-index"
PICTURES = ROOT / "docs" / "pictures"
SIZE = {"width": 900, "height": 1000}  # CSS pixels
PARTS = ("source", "release", "checks")


def grade(course: Path) -> None:
    """Makes a copy of the course in `course`, and everything that its sample class is shown."""
    for part in PARTS:
        shutil.copytree(ROOT / part / ASSIGNMENT, course / part / ASSIGNMENT)
    shutil.copy(ROOT / "nbgrader_config.py", course)
    for path in samples(ASSIGNMENT):
        hand_in(path, ASSIGNMENT, lambda who: course / "submitted" / who / ASSIGNMENT)
    for command in (
        ["nbgrader", "generate_assignment", ASSIGNMENT, "--force"],
        ["autograder", "batch", ASSIGNMENT, "--report"],
        ["nbgrader", "generate_feedback", ASSIGNMENT, "--student", STUDENT],
    ):
        subprocess.run([sys.executable, "-m", *command], cwd=course, check=True)


def take(course: Path) -> None:
    """Writes what a window shows of each page."""
    pages = {
        "feedback": course / "feedback" / STUDENT / ASSIGNMENT / f"{ASSIGNMENT}.html",
        "class_report": course / "reports" / f"{ASSIGNMENT}.html",
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name, path in pages.items():
            page = browser.new_page(viewport=SIZE)
            page.goto(path.as_uri())
            page.screenshot(path=PICTURES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        grade(Path(folder))
        take(Path(folder))
