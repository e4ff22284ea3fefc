"""Checks of `PositionalEncoding`: its two kinds of columns, its buffer, and the dropout."""

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
    expect_shape,
    expect_unchanged,
    numbers,
    points,
    probe,
    same,
    values,
)

from . import wording
from .modules import expect_dropped, expect_still

# An angle of up to 80 that was computed in float32 as exp(-log(10000) ...) is off by some 1e-5.
ATOL = 1e-4


@probe
def encoded(answers: Any, d_model: int, max_len: int | None, x: Any) -> dict[str, Any]:
    given = {} if max_len is None else {"max_len": max_len}
    module = answers.PositionalEncoding(d_model, **given).eval()
    buffers = [name for name, _ in module.named_buffers()]
    return {
        "output": module(x),
        "x": x,
        "pe": getattr(module, "pe", None),
        "is_buffer": "pe" in buffers,
        "parameters": sum(1 for _ in module.parameters()),
    }


@probe
def dropped(answers: Any, d_model: int, dropout: float | None, x: Any) -> dict[str, Any]:
    given = {} if dropout is None else {"dropout": dropout}
    module = answers.PositionalEncoding(d_model, **given)
    torch.manual_seed(3)
    training = module.train()(x)
    module = module.eval()
    return {"training": training, "eval": module(x), "again": module(x)}


@probe
def in_both_precisions(answers: Any, x: Any) -> dict[str, Any]:
    module = answers.PositionalEncoding(x.shape[-1]).eval()
    single = module(x)
    module = module.double()
    output = module(x.double())
    try:  # the meta device stands in for any device that is not the CPU
        device = module.to("meta")(x.to("meta")).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"single": single, "output": output, "device": device, "x": x}


def _columns(student: Student, expected: Expected, first: int) -> None:
    """Every other column of the encoding, read off from what is added to zeros."""
    for d_model, length in ((64, 80), (10, 60)):
        zeros = torch.zeros(1, length, d_model)
        reply = student.run(encoded, d_model=d_model, max_len=length, x=zeros)
        found = expect_floats(reply, "output", batch=1, L=length, d_model=d_model)
        columns = Reply.of({"encoding": found[..., first::2].float().contiguous()})
        expected.match(f"columns_{first}_of_{d_model}", columns, atol=ATOL)


@points(2)
def check_sine_in_the_even_columns(student: Student, expected: Expected) -> None:
    """The even columns 0, 2, 4, ... of the encoding hold the sines of the formula."""
    _columns(student, expected, 0)


@points(3)
def check_cosine_in_the_odd_columns(student: Student, expected: Expected) -> None:
    """The odd columns 1, 3, 5, ... of the encoding hold the cosines of the formula."""
    _columns(student, expected, 1)


@points(1)
def check_adds_the_first_positions(student: Student, expected: Expected) -> None:
    """A sequence of L positions gets the first L rows of `pe`, and is not scaled."""
    for length in (1, 5, 12):
        x = numbers(2, 3, length, 6)
        reply = student.run(encoded, d_model=6, max_len=12, x=x)
        output = expect_floats(reply, "output", N=3, L=length, d_model=6)
        pe = expect_floats(reply, "pe", one=1, max_len=12, d_model=6)
        wanted = x.double() + pe[:, :length]
        expect(same(output, wanted), wording.NOT_ITS_ENCODING)


@points(1)
def check_pe_is_a_buffer(student: Student, expected: Expected) -> None:
    """`pe` is a buffer of shape (1, max_len, d_model), and nothing is trained."""
    for d_model, length in ((6, 9), (8, None)):
        reply = student.run(encoded, d_model=d_model, max_len=length, x=torch.zeros(1, 2, d_model))
        expect(reply["is_buffer"] is True, wording.NO_BUFFER)
        expect_shape(reply, "pe", one=1, max_len=length or 512, d_model=d_model)
        expect_count(reply, "parameters", 0, wording.TRAINED)


@values
@points(2)
def check_dropout_acts_on_the_sum(student: Student, expected: Expected) -> None:
    """In training dropout acts on the sum of input and encoding, in eval mode on nothing."""
    x = 3 + numbers(4, 2, 300, 32, scale=0.1)
    for dropout, share in ((0.5, 0.5), (None, 0.1)):
        reply = student.run(dropped, d_model=32, dropout=dropout, x=x)
        dims = {"N": 2, "L": 300, "d_model": 32}
        expect_dropped(expect_floats(reply, "training", **dims), expect_still(reply, **dims), share)


@points(1)
def check_keeps_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """The output has the input's dtype and device, and the input stays as it is."""
    x = numbers(3, 2, 5, 8)
    reply = student.run(in_both_precisions, x=x)
    expect(reply.tensor("single").dtype == torch.float32, "A float32 input gives another dtype.")
    expect_kept(reply)
    expect_unchanged(reply, {"x": x})
