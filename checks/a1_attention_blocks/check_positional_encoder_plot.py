"""Checks of what was handed to the given `plot_pe`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    CheckFailure,
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_shape,
    first_that_holds,
    points,
    probe,
    same,
)

from . import wording

DIMENSIONS = [1, 2, 7, 16]


@probe
def plotted(answers: Any) -> dict[str, Any]:
    found = getattr(answers.plot_pe, "plotted", None)
    if found is None:
        return {"called": False}
    values, dims = found
    values = torch.as_tensor(values).detach()
    return {"called": True, "pe_vals": values, "hidden_dims": torch.tensor([int(d) for d in dims])}


@probe
def own_encoding(answers: Any) -> dict[str, Any]:
    module = answers.PositionalEncoder(64, max_seq_len=32)
    return {"encoding": module(torch.zeros(1, 32, 64))}


def _plotted(student: Student) -> Reply:
    reply = student.run(plotted)
    if reply["called"] is not True:
        student.expect_cell_ran(wording.NO_PLOT)
        raise CheckFailure(wording.NOT_CALLED)
    return reply


@points(1, text="with the numbers 1, 2, 7, 16 as `hidden_dims`")
def check_names_the_dimensions(student: Student, expected: Expected) -> None:
    """`hidden_dims` names the dimensions 1, 2, 7 and 16, in this order."""
    found = _plotted(student).tensor("hidden_dims")
    named = found.dtype == torch.int64 and torch.equal(found, torch.tensor(DIMENSIONS))
    expect(named, wording.OTHER_DIMENSIONS)


@points(1, text="for all positions: a tensor of shape (32, 4)")
def check_has_a_row_for_each_position(student: Student, expected: Expected) -> None:
    """`pe_vals` has one row for each position and one column for each dimension."""
    expect_shape(_plotted(student), "pe_vals", max_seq_len=32, dimensions=4)


@points(3, text="the columns of the hidden dimensions **1, 2, 7 and 16, counted from 1**")
def check_plots_the_right_columns(student: Student, expected: Expected) -> None:
    """The columns of `pe_vals` are the encodings of the dimensions, which count from 1."""
    reply = _plotted(student)
    found = expect_floats(reply, "pe_vals", max_seq_len=32, dimensions=4)
    columns = Reply.of({"pe_vals": found.float()})

    def match_own() -> None:
        own = student.run(own_encoding)
        encoding = expect_floats(own, "encoding", one=1, max_seq_len=32, d_model=64)
        expect(same(found, encoding[0][:, [dim - 1 for dim in DIMENSIONS]]), wording.OTHER_COLUMNS)

    first_that_holds([lambda: expected.match("columns", columns, atol=1e-4), match_own])
