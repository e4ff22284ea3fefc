"""The numbers that the text of a3 prints are those of its solutions."""

from __future__ import annotations

import math
import re
from typing import Any

import nbformat
import pytest
import torch
from conftest import ROOT
from torch import nn

from autograder.course.assignments import Course

A3 = "a3_seq2seq_reversal"
PRINTED = 6e-5  # a printed number has four digits after the point

Names = dict[str, Any]


def close(found: torch.Tensor, wanted: torch.Tensor, atol: float = 1e-5) -> bool:
    return found.shape == wanted.shape and torch.allclose(
        found.double(), wanted.double(), rtol=1e-4, atol=atol
    )


@pytest.fixture(scope="module")
def answers(course: Course) -> Names:
    """What the instructor's solutions define, without the rest of the notebook."""
    names: Names = {"math": math, "torch": torch, "nn": nn}
    for cell in course.assignment(A3).solved.cells:
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution"):
            exec(compile(cell.source, cell.id, "exec"), names)
    return names


@pytest.fixture(scope="module")
def text(course: Course) -> str:
    cells = course.assignment(A3).solved.cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def printed(text: str, line: str) -> torch.Tensor:
    """The numbers that the text prints after `line`."""
    (found,) = re.findall(rf"^{re.escape(line)} +# (.*)$", text, re.MULTILINE)
    return torch.tensor([float(number) for number in found.split()])


def test_rows_one_to_three_of_the_encoding_are_the_printed_ones(text: str) -> None:
    rows = re.findall(r"^pos \d +(.*)$", text, re.MULTILINE)
    found = torch.tensor([[float(number) for number in row.split()] for row in rows])
    angles = torch.tensor([[pos, pos / 100] for pos in (1.0, 2.0, 3.0)])
    assert close(found, torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1), 6e-6)


def test_the_text_prints_what_the_solutions_answer(answers: Names, text: str) -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    mask = torch.ones(3, 5, dtype=torch.bool).tril(1)
    output, attention = answers["scaled_dot_product_attention"](q, k, v, mask)
    assert close(printed(text, "attention[1, 1]"), attention[1, 1], PRINTED)
    assert close(printed(text, "output[1, 1]"), output[1, 1], PRINTED)

    torch.manual_seed(0)
    module = answers["MultiHeadAttention"](8, num_heads=2)
    x, y, z = (torch.randn(3, length, 8) for length in (4, 6, 6))
    output, attention = module(x, y, z)
    assert close(printed(text, "output[0, 0]"), output[0, 0], PRINTED)
    assert close(printed(text, "attention[0, :, 0]"), attention[0, 0, 0], PRINTED)

    torch.manual_seed(0)
    block = answers["EncoderBlock"](8, num_heads=2, d_ff=16)
    output = block(torch.randn(2, 4, 8))
    assert close(printed(text, "block(x)[0, 0]"), output[0, 0], PRINTED)

    torch.manual_seed(0)
    block = answers["DecoderBlock"](8, num_heads=2, d_ff=16)
    x, memory = torch.randn(2, 4, 8), torch.randn(2, 6, 8)
    assert close(printed(text, "block(x, memory)[0, 0]"), block(x, memory)[0, 0], PRINTED)
    causal = block(x, memory, answers["causal_mask"](4))[0, 0]
    assert close(printed(text, "block(x, memory, causal_mask(4))[0, 0]"), causal, PRINTED)


def test_the_text_prints_what_the_whole_model_answers(answers: Names, text: str) -> None:
    torch.manual_seed(0)
    model = answers["Transformer"](vocab_size=9, d_model=8, num_heads=2, d_ff=16, num_layers=2)
    src, tgt = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]]), torch.tensor([[1, 6, 5], [1, 8, 7]])
    assert close(printed(text, "model.encode(src)[1, 0]"), model.encode(src)[1, 0], PRINTED)
    assert close(printed(text, "model(src, tgt)[1, 2]"), model(src, tgt)[1, 2], PRINTED)

    torch.manual_seed(0)
    model = answers["Transformer"](9, d_model=8, num_heads=2, d_ff=16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    tgt = torch.tensor([[6, 5, 4, 3, 2], [8, 7, 2, 0, 0]])
    losses = [answers["train_step"](model, src, tgt, optimizer, bos_id=1) for _ in range(3)]
    line = "    print(train_step(model, src, tgt, optimizer, bos_id=1))"
    assert close(printed(text, line), torch.tensor(losses), PRINTED)


def test_the_text_prints_what_is_seen_inside_of_a_model(answers: Names, text: str) -> None:
    torch.manual_seed(0)
    model = answers["Transformer"](vocab_size=9, d_model=8, num_heads=2, d_ff=16, num_layers=3)
    src, tgt = (
        torch.tensor([[3, 4, 5, 6, 7], [7, 8, 0, 0, 0]]),
        torch.tensor([[1, 6, 5], [1, 8, 7]]),
    )
    maps = answers["cross_attention"](model, src, tgt)
    for layer, place in ((0, (0, 1, 2)), (2, (0, 1, 2)), (2, (1, 0, 1))):
        line = f"maps[{layer}][{', '.join(map(str, place))}]"
        assert close(printed(text, line), maps[layer][place], PRINTED)


def test_the_text_prints_what_a_model_answers_without_a_part(answers: Names, text: str) -> None:
    torch.manual_seed(0)
    model = answers["Transformer"](vocab_size=5, d_model=8, num_heads=2, d_ff=16, num_layers=2)
    src, tgt = torch.tensor([[3, 4, 1, 3], [4, 3, 0, 0]]), torch.tensor([[1, 3, 4], [1, 4, 0]])
    for part in ("positions", "causal mask", "residuals"):
        (found,) = re.findall(rf"^# {part} +(.*)$", text, re.MULTILINE)
        wanted = torch.tensor([float(number) for number in found.split()])
        handles = answers["take_out"](model, part)
        assert close(wanted, model(src, tgt)[1, 0], PRINTED)
        for handle in handles:
            handle.remove()


def test_the_written_answer_is_graded_by_hand_and_its_rubric_stays_with_the_instructor(
    course: Course,
) -> None:
    release = course.assignment(A3).release.cells
    (essay,) = [cell for cell in release if cell.get("id") == "ablation_essay"]
    assert essay.cell_type == "markdown"
    assert essay.source == "YOUR ANSWER HERE"
    settings = essay.metadata.nbgrader
    assert (settings.grade, settings.solution, settings.points) == (True, True, 5)
    source = nbformat.read(ROOT / "source" / A3 / f"{A3}.ipynb", as_version=4)
    (rubric,) = [cell.source for cell in source.cells if cell.id == "ablation-essay-rubric"]
    assert sum(int(line[2]) for line in rubric.splitlines() if line[:3].strip("| ").isdigit()) == 5
    released = "\n".join(cell.source for cell in release)
    assert not [line for line in rubric.splitlines() if len(line) > 30 and line in released]
    (answer,) = [cell.source for cell in source.cells if cell.id == "ablation_essay"]
    assert 100 <= len(answer.split()) <= 200


def test_automatic_and_manual_points_make_a_hundred(course: Course) -> None:
    settings = [c.metadata.get("nbgrader", {}) for c in course.assignment(A3).release.cells]
    assert sum(one["points"] for one in settings if one.get("grade")) == 100


def test_points_and_minutes_of_the_table_are_those_of_the_questions(
    course: Course, text: str
) -> None:
    settings = [c.metadata.get("nbgrader", {}) for c in course.assignment(A3).release.cells]
    graded = {s["grade_id"].removeprefix("check_"): s["points"] for s in settings if s.get("grade")}
    rows = re.findall(r"^\| \d+ \| `(\w+)` \|.*\| (\d+) \| (\d+) \|$", text, re.MULTILINE)
    assert {slug: int(points) for slug, _, points in rows} == graded
    told = re.findall(r"\*\*Time\*\* (\d+) minutes  \*\*Points\*\* (\d+)", text)
    assert told == [(minutes, points) for _, minutes, points in rows]
