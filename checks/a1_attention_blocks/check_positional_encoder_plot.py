"""Checks of what was handed to the given `plot_pe`."""

from __future__ import annotations

from collections.abc import Callable
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
    points,
    probe,
    same,
)

from . import wording

DIMENSIONS = [1, 2, 7, 16]
MOST = 16  # so many of the last calls are looked at


@probe
def plotted(answers: Any, number: int) -> dict[str, Any]:
    """One of the last calls, the last of which has the number 0; and how many there are."""
    calls = getattr(answers.plot_pe, "plotted", None) or []
    if number >= len(calls):
        return {"calls": len(calls)}
    values, dims = calls[-1 - number]
    values = torch.as_tensor(values).detach()
    dims = torch.tensor([int(dim) for dim in dims])
    return {"calls": len(calls), "pe_vals": values, "hidden_dims": dims}


@probe
def own_encoding(answers: Any) -> dict[str, Any]:
    module = answers.PositionalEncoder(64, max_seq_len=32)
    return {"encoding": module(torch.zeros(1, 32, 64))}


def _names(_: Student, __: Expected, reply: Reply) -> None:
    found = reply.tensor("hidden_dims")
    right = found.dtype == torch.int64 and torch.equal(found, torch.tensor(DIMENSIONS))
    expect(right, wording.OTHER_DIMENSIONS)


def _has_rows(_: Student, __: Expected, reply: Reply) -> None:
    expect_shape(reply, "pe_vals", max_seq_len=32, dimensions=4)


def _shows(student: Student, expected: Expected, reply: Reply) -> None:
    found = expect_floats(reply, "pe_vals", max_seq_len=32, dimensions=4)
    columns = Reply.of({"pe_vals": found.float()})
    try:
        expected.match("columns", columns, atol=1e-4)
    except CheckFailure as failure:
        places = _own_columns(student, found)
        if not places:
            raise
        if places != DIMENSIONS:
            said = wording.other_columns(places)
            raise CheckFailure(said, error_map=failure.error_map) from failure


WORTH = {_names: 1, _has_rows: 1, _shows: 3}
"""What is asked of a call, with its points."""


def _best_call(student: Student, expected: Expected) -> Reply:
    """The call that is worth the most points, so that all checks judge one and the same.

    Of equals it is the last one.
    """
    last = student.run(plotted, number=0)
    calls = last["calls"]
    if not isinstance(calls, int) or calls < 1:
        student.expect_cell_ran(wording.NO_PLOT)
        raise CheckFailure(wording.NOT_CALLED)
    best, most = last, -1
    for number in range(min(calls, MOST)):
        reply = student.run(plotted, number=number) if number else last
        worth = sum(WORTH[rule] for rule in WORTH if _holds(rule, student, expected, reply))
        if worth > most:
            best, most = reply, worth
        if most == sum(WORTH.values()):
            break
    return best


def _holds(
    rule: Callable[[Student, Expected, Reply], None],
    student: Student,
    expected: Expected,
    reply: Reply,
) -> bool:
    try:
        rule(student, expected, reply)
    except CheckFailure:
        return False
    return True


@points(WORTH[_names], text="with the numbers 1, 2, 7, 16 as `hidden_dims`")
def check_names_the_dimensions(student: Student, expected: Expected) -> None:
    """`hidden_dims` names the dimensions 1, 2, 7 and 16, in this order."""
    _names(student, expected, _best_call(student, expected))


@points(WORTH[_has_rows], text="for all positions: a tensor of shape (32, 4)")
def check_has_a_row_for_each_position(student: Student, expected: Expected) -> None:
    """`pe_vals` has one row for each position and one column for each dimension."""
    _has_rows(student, expected, _best_call(student, expected))


@points(
    WORTH[_shows], text="the columns of the hidden dimensions **1, 2, 7 and 16, counted from 1**"
)
def check_plots_the_right_columns(student: Student, expected: Expected) -> None:
    """The columns of `pe_vals` are the encodings of the dimensions, which count from 1."""
    _shows(student, expected, _best_call(student, expected))


def _own_columns(student: Student, found: torch.Tensor) -> list[int]:
    """Which columns of the student's own table they are, counted from 1; none if others."""
    try:
        own = student.run(own_encoding)
        table = expect_floats(own, "encoding", one=1, max_seq_len=32, d_model=64)[0]
    except CheckFailure:
        return []
    nearest = (found[:, :, None] - table[:, None]).abs().amax(dim=0).argmin(dim=-1) + 1
    for places in (DIMENSIONS, nearest.tolist()):
        if same(found, table[:, [place - 1 for place in places]]):
            return places
    return []
