"""Seconds per submission of `nbgrader autograde`: stock preprocessors against ours, in one run.

Both grade the same copies of the instructor's solution of a1 in a scratch copy of the course. A
run over N + 1 submissions less a run over one leaves what N submissions cost once everything is
warm. The stock run executes the hidden checks inside the student's kernel, which is how nbgrader
is meant to be used.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from sample_class import Sample, build  # noqa: E402 - lies in tools/

ASSIGNMENT = "a1_attention_blocks"
STOCK = """
c = get_config()
c.CourseDirectory.course_id = "stock"
"""


def main() -> None:
    """Measures, prints and stores the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=6, metavar="N")
    count = parser.parse_args().submissions
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("stock", "ours"):
            course = _course(Path(scratch) / name, stock=name == "stock")
            first, many = _seconds(course, 1), _seconds(course, count + 1)
            found[name] = {"first_seconds": first, "seconds": (many - first) / count}
    ratio = found["stock"]["seconds"] / found["ours"]["seconds"]
    result = {"assignment": ASSIGNMENT, "submissions": count, **found, "times_faster": ratio}
    (ROOT / "bench" / "results.json").write_text(json.dumps(result, indent=1) + "\n")
    for name in ("stock", "ours"):
        figures = found[name]
        print(f"{name}: {figures['seconds']:.2f} s a submission once warm, ", end="")
        print(f"{figures['first_seconds']:.2f} s for a run over one")
    print(f"ours is {ratio:.1f} times as fast")


def _course(folder: Path, *, stock: bool) -> Path:
    shutil.copytree(ROOT / "source", folder / "source")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    if stock:  # a submission has no instructor's cell that imports `check`
        path = folder / "source" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
        text = path.read_text().replace('"check(', '"__import__(\\"autograder\\").check(')
        path.write_text(text)
    _nbgrader(folder, "generate_assignment", ASSIGNMENT)
    if stock:
        (folder / "nbgrader_config.py").write_text(STOCK)
    return folder


def _seconds(course: Path, count: int) -> float:
    notebook = build(Sample("solution"), ASSIGNMENT)
    for name in ("submitted", "autograded"):
        shutil.rmtree(course / name, ignore_errors=True)
    for number in range(count):
        path = course / "submitted" / f"demo-{number:03}" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    started = time.perf_counter()
    _nbgrader(course, "autograde", ASSIGNMENT)
    return time.perf_counter() - started


def _nbgrader(course: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "nbgrader", *arguments]
    done = subprocess.run(command, cwd=course, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)


if __name__ == "__main__":
    main()
