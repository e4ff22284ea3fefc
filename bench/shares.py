"""Where the time of one submission of a1 goes: cells, probes, boxes, judging and recording.

`nbgrader autograde` runs in this process over submissions one by one, so that nothing is graded
beside the recording of another. What is left of a part when the parts within it are taken off is
its own share; the rest is recording: nbgrader's steps, the gradebook, the files.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from courses import ASSIGNMENT, ROOT, hand_in, our_course
from matplotlib.figure import Figure

from autograder.box.outside.client import Box
from autograder.box.outside.zygotes import Zygote
from autograder.course.settings import read_config
from autograder.grading.grader import Grader
from autograder.nbgrader.running import failure, nbgrader_api

PARTS: dict[str, list[tuple[type, str]]] = {
    "cells": [(Box, "run_cell")],
    "probes": [(Box, "run_probe")],
    "starting and ending the box": [(Zygote, "box"), (Box, "close")],
    "judging": [(Grader, "grade_repaired")],
}
COLOURS = ["#33608c", "#5f8fbd", "#a9c4de", "#d98c3f", "#9a9a9a"]
PICTURE = ROOT / "docs" / "pictures" / "shares.png"


def main() -> None:
    """Measures, prints, stores and draws."""
    parser = argparse.ArgumentParser(description="Measure where the time of a submission goes.")
    parser.add_argument("--submissions", type=int, default=8, metavar="N")
    count = parser.parse_args().submissions
    with tempfile.TemporaryDirectory() as scratch:
        seconds = measure(our_course(Path(scratch) / "course"), count)
    whole = sum(seconds.values())
    shares = {part: spent / whole for part, spent in seconds.items()}
    record = {"assignment": ASSIGNMENT, "submissions": count, "seconds": seconds, "shares": shares}
    text = json.dumps(record, indent=1) + "\n"
    (ROOT / "bench" / "shares.json").write_text(text, encoding="utf-8")
    draw(shares)
    for part, spent in seconds.items():
        print(f"{part:28} {1000 * spent:5.0f} ms {100 * shares[part]:4.0f} %")


def measure(course: Path, count: int) -> dict[str, float]:
    """The seconds that each part takes of one submission, once everything is warm."""
    hand_in(course, count + 1)
    autograde = nbgrader_api(read_config(course), course).autograde

    def record(number: int) -> None:
        found = autograde(ASSIGNMENT, f"demo-{number:05}", force=True)
        if not found["success"]:
            raise failure(found)

    record(0)
    spent: Counter[str] = Counter()
    for part, methods in PARTS.items():
        for owner, name in methods:
            setattr(owner, name, _timed(getattr(owner, name), spent, part))
    started = time.perf_counter()
    for number in range(1, count + 1):
        record(number)
    whole = time.perf_counter() - started
    judging = 2 * spent["judging"] - sum(spent[part] for part in PARTS)  # without the others
    recording = whole - spent["judging"]
    own = {part: spent[part] for part in PARTS} | {"judging": judging, "recording": recording}
    return {part: seconds / count for part, seconds in own.items()}


def _timed(method: Callable[..., Any], spent: Counter[str], part: str) -> Callable[..., Any]:
    def timed(*arguments: Any, **named: Any) -> Any:
        started = time.perf_counter()
        try:
            return method(*arguments, **named)
        finally:
            spent[part] += time.perf_counter() - started

    return timed


def draw(shares: dict[str, float]) -> None:
    """One bar, a colour for each part."""
    figure = Figure(figsize=(8, 1.7), layout="constrained")
    axes = figure.subplots()
    begun = 0.0
    for (part, share), colour in zip(shares.items(), COLOURS, strict=True):
        percent = 100 * share
        axes.barh(0, percent, left=begun, color=colour, label=f"{part}, {percent:.0f} %")
        begun += percent
    axes.set_xlim(0, 100)
    axes.set_yticks([])
    axes.set_xlabel("per cent of the time of one submission")
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=9)
    figure.savefig(PICTURE, dpi=150)


if __name__ == "__main__":
    main()
