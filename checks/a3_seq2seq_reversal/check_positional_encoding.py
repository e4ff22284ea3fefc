"""Checks of `PositionalEncoding`: its battery, its two kinds of columns, and its buffer."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Reply,
    Student,
    buffer_of,
    expect,
    expect_floats,
    expect_shape,
    points,
    probe,
)

from . import wording

# An angle of up to 150 whose frequency was computed in float32 is off by some 1e-5.
ATOL = 2e-4

battery = Battery(
    Domain(
        answer="PositionalEncoding",
        sizes={"N": 3, "L": 5, "spare": 2, "d_model": 8},
        smallest={"spare": 0},
        multiples={"d_model": 2},
        long=150,
        more={
            "where the table is much longer": {"spare": 300},
            "for a large batch and a short table": {"N": 30, "spare": 0},
            "for a wide model": {"d_model": 200},
        },
        arguments=("d_model", "L+spare"),
        inputs={"x": "N L d_model"},
        returns={"output": "N L d_model"},
        atol=ATOL,
    ),
    **{"values": 0.25, "sizes": 0.5, "extremes": 0.5, "gradients": 1.5},
    **{"modes": 0.5, "kind": 0.5, "care": 0.5},
)


@probe
def encoded(answers: Any, d_model: int, max_len: int, x: Any) -> dict[str, Any]:
    module = answers.PositionalEncoding(d_model, max_len)
    if isinstance(module, nn.Module):
        module.eval()  # a dropout that nobody asked for is no matter of the columns
    return {"output": module(x)}


@probe(uses=[buffer_of])
def described(answers: Any, d_model: int, max_len: int | None) -> dict[str, Any]:
    given = {} if max_len is None else {"max_len": max_len}
    return buffer_of(answers.PositionalEncoding(d_model, **given), d_model)


def _columns(student: Student, expected: Expected, first: int) -> None:
    """Every other column of the encoding, read off from what is added to zeros."""
    for d_model, length in ((4, 50), (64, 80), (10, 60)):
        zeros = torch.zeros(1, length, d_model)
        reply = student.run(encoded, d_model=d_model, max_len=length, x=zeros)
        found = expect_floats(reply, "output", batch=1, L=length, d_model=d_model)
        columns = Reply.of({"encoding": found[..., first::2].float().contiguous()})
        expected.match(f"columns_{first}_of_{d_model}", columns, atol=ATOL)


@points(0.25, text="Column 2i and column 2i+1 share **the same** frequency")
def check_sine_in_the_even_columns(student: Student, expected: Expected) -> None:
    """The even columns 0, 2, 4, ... of the encoding hold the sines of the formula."""
    _columns(student, expected, 0)


@points(0.25, text="Column 2i and column 2i+1 share **the same** frequency")
def check_cosine_in_the_odd_columns(student: Student, expected: Expected) -> None:
    """The odd columns 1, 3, 5, ... of the encoding hold the cosines of the formula."""
    _columns(student, expected, 1)


@points(0.25, text="keeps it as a **buffer** named `pe`, of the shape (1, max_len, d_model)")
def check_pe_is_a_buffer(student: Student) -> None:
    """`pe` is a buffer of shape (1, max_len, d_model), is what is added, and is not trained."""
    for d_model, length in ((6, 9), (8, None)):
        reply = student.run(described, d_model=d_model, max_len=length)
        expect(reply["pe"] is not None, wording.NO_BUFFER)
        expect_shape(reply, "pe", one=1, max_len=length or 50, d_model=d_model)
        expect(reply["trained"] is False, wording.TRAINED)
        expect(reply["used"] is True, wording.UNUSED_BUFFER)
