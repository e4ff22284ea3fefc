"""Answers are as long as the notebooks say."""

from __future__ import annotations

import re

import nbformat
import pytest
from conftest import IDS, ROOT


@pytest.mark.parametrize("name", IDS)
def test_answers_are_as_long_as_the_text_says(name: str) -> None:
    """The lines of each solution, empty ones left out; what is told of each part is added up."""
    told, long = [], []
    waiting: list[int] | None = None
    for cell in nbformat.read(ROOT / "source" / name / f"{name}.ipynb", as_version=4).cells:
        parts = re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", cell.source, re.DOTALL)
        if cell.cell_type == "markdown":
            for sentence in re.findall(r"Our answers? ha(?:s|ve) .*", cell.source):
                waiting = [int(number) for number in re.findall(r"\d+", sentence)]
                waiting = None if "each" in sentence else waiting
        elif parts and waiting:
            told.append((cell.id, sum(waiting)))
            lines = [line for part in parts for line in part.splitlines() if line.strip()]
            long.append((cell.id, len(lines)))
            waiting = None
    assert len(told) > 5
    assert long == told
