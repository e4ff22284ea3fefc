"""Checks of `PositionalEncoding(d_model, max_len=5000)`: its table, its buffer, its forward."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_count,
    expect_floats,
    expect_kept,
    expect_unchanged,
    numbers,
    points,
    probe,
    same,
)

from . import wording

# An angle of about 100 that was computed in float32 as exp(-log(10000) ...) is off by some 1e-5.
ATOL = 1e-4


@probe
def encoded(answers: Any, d_model: int, x: Any, max_len: int | None = None) -> dict[str, Any]:
    given = {} if max_len is None else {"max_len": max_len}
    return {"output": answers.PositionalEncoding(d_model, **given)(x), "x": x}


@probe
def kept(answers: Any, d_model: int, max_len: int | None = None) -> dict[str, Any]:
    given = {} if max_len is None else {"max_len": max_len}
    module = answers.PositionalEncoding(d_model, **given)
    rows = [buffer.numel() // d_model for buffer in module.buffers()]
    return {
        "rows": torch.tensor(rows, dtype=torch.int64),
        "saved": len(module.state_dict()),
        "parameters": sum(1 for _ in module.parameters()),
    }


@probe
def in_double(answers: Any, x: Any) -> dict[str, Any]:
    module = answers.PositionalEncoding(x.shape[-1], max_len=20).double()
    output = module(x.double())
    try:  # the meta device stands in for any device that is not the CPU
        device = module.to("meta")(x.to("meta")).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"output": output, "device": device}


@points(2)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The encoding has the right values: sine and cosine of one angle in each pair of columns."""
    for case, d_model, length in (("wide", 48, 96), ("narrow", 6, 40)):
        zeros = torch.zeros(1, length, d_model)
        reply = student.run(encoded, d_model=d_model, x=zeros, max_len=100)
        expected.match(case, Reply.of({"output": reply.tensor("output")}), atol=ATOL)


@points(1)
def check_adds_the_first_positions(student: Student, expected: Expected) -> None:
    """Every sequence gets the encodings of its first L positions added, and keeps its scale."""
    x = numbers(1, 3, 7, 6, scale=2.0)
    dims = {"B": 3, "L": 7, "d_model": 6}
    moved = expect_floats(student.run(encoded, d_model=6, x=x), "output", **dims) - x.double()
    marks = expect_floats(student.run(encoded, d_model=6, x=torch.zeros(3, 7, 6)), "output", **dims)
    wrong = "What is added is not the same for every input and every sequence of the batch."
    expect(same(moved, marks, ATOL), wrong)
    expect(same(marks, marks[:1].expand_as(marks)), wrong)
    longer = torch.zeros(1, 9, 6)
    reply = student.run(encoded, d_model=6, x=longer, max_len=9)
    rows = expect_floats(reply, "output", B=1, L=9, d_model=6)
    expect(same(rows[:, :7], marks[:1], ATOL), "The first positions depend on the length.")


@points(1)
def check_table_is_a_buffer_that_is_not_saved(student: Student, expected: Expected) -> None:
    """The table is a buffer of max_len rows, is not trained, and is not saved with the model."""
    for max_len in (None, 12):
        reply = student.run(kept, d_model=4, max_len=max_len)
        expect((reply.tensor("rows") == (max_len or 5000)).any(), wording.NO_BUFFER)
        expect_count(reply, "parameters", 0, wording.TRAINED)
        expect_count(reply, "saved", 0, wording.SAVED)


@points(1)
def check_keeps_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """The output has the input's dtype and device, and the input stays as it is."""
    x = numbers(2, 2, 5, 8)
    reply = student.run(encoded, d_model=8, x=x)
    wrong = "A float32 input does not give a float32 output."
    expect(reply.tensor("output").dtype == torch.float32, wrong)
    expect_unchanged(reply, {"x": x})
    expect_kept(student.run(in_double, x=x))
