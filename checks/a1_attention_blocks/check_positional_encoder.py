"""Checks of `PositionalEncoder`: its two kinds of columns, its buffer, and its forward."""

from __future__ import annotations

import math
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
)
from autograder.results import sentences

from . import wording

# An angle of up to 80 that was computed in float32 as exp(-log(10000) ...) is off by some 1e-5.
ATOL = 1e-4


@probe
def encoded(answers: Any, d_model: int, max_seq_len: int, x: Any) -> dict[str, Any]:
    module = answers.PositionalEncoder(d_model, max_seq_len)
    return {"output": module(x), "x": x}


@probe
def described(answers: Any, d_model: int, max_seq_len: int | None) -> dict[str, Any]:
    given = {} if max_seq_len is None else {"max_seq_len": max_seq_len}
    module = answers.PositionalEncoder(d_model, **given)
    kinds = [name for name, _ in module.named_buffers()] + ["no buffer"]
    return {
        "pe": getattr(module, "pe", None),
        "is_buffer": "pe" in kinds,
        "parameters": sum(1 for _ in module.parameters()),
    }


@probe
def own_encoding(answers: Any, d_model: int, max_seq_len: int, x: Any) -> dict[str, Any]:
    module = answers.PositionalEncoder(d_model, max_seq_len)
    return {"output": module(x), "pe": getattr(module, "pe", None)}


@probe
def scaled(answers: Any, d_model: int, x: Any) -> dict[str, Any]:
    module = answers.PositionalEncoder(d_model)
    zero = module(torch.zeros_like(x))
    x.requires_grad_()
    output = module(x)
    output.sum().backward()
    return {"output": output, "zero": zero, "gradient": x.grad}


@probe
def in_both_precisions(answers: Any, x: Any) -> dict[str, Any]:
    module = answers.PositionalEncoder(x.shape[-1])
    single = module(x)
    module = module.double()
    output = module(x.double())
    try:  # the meta device stands in for any device that is not the CPU
        device = module.to("meta")(x.double().to("meta")).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"single": single, "output": output, "device": device, "x": x}


def _columns(student: Student, expected: Expected, first: int) -> None:
    """Every other column of the encoding, read off from what is added to zeros."""
    for d_model, length in ((64, 80), (10, 60)):
        zeros = torch.zeros(1, length, d_model)
        reply = student.run(encoded, d_model=d_model, max_seq_len=length, x=zeros)
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


@points(4)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The output of the encoder has the right values."""
    row = torch.arange(1, 513) * 0.01
    example = student.run(encoded, d_model=512, max_seq_len=80, x=row.repeat(1, 4, 1))
    expected.match("example", _output(example), atol=ATOL)
    other = student.run(encoded, d_model=10, max_seq_len=12, x=numbers(1, 3, 7, 10))
    expected.match("short_batch", _output(other), atol=ATOL)


def _output(reply: Reply) -> Reply:
    return Reply.of({"output": reply.tensor("output")})


@points(2)
def check_pe_is_a_buffer(student: Student, expected: Expected) -> None:
    """`pe` is a buffer of shape (1, max_seq_len, d_model), and nothing is trained."""
    for d_model, length in ((6, 9), (8, None)):
        reply = student.run(described, d_model=d_model, max_seq_len=length)
        expect(reply["is_buffer"] is True, wording.NO_BUFFER)
        expect_shape(reply, "pe", one=1, max_seq_len=length or 80, d_model=d_model)
        expect_count(reply, "parameters", 0, wording.TRAINED)


@points(2)
def check_scales_the_input(student: Student, expected: Expected) -> None:
    """The input is multiplied by the square root of d_model before the encoding is added."""
    for d_model in (6, 16):
        x = numbers(2, 2, 5, d_model)
        reply = student.run(scaled, d_model=d_model, x=x)
        dims = {"N": 2, "L": 5, "d_model": d_model}
        share = expect_floats(reply, "output", **dims) - expect_floats(reply, "zero", **dims)
        expect(same(share, x.double() * math.sqrt(d_model), ATOL), wording.OTHER_SCALE)
        gradient = expect_floats(reply, "gradient", **dims)
        wanted = torch.full_like(gradient, math.sqrt(d_model))
        expect(same(gradient, wanted, ATOL), wording.OTHER_GRADIENT_SCALE)


@points(1)
def check_adds_the_first_positions(student: Student, expected: Expected) -> None:
    """A sequence of L positions gets the first L rows of `pe`, each sequence the same."""
    for length in (1, 5, 12):
        zeros = torch.zeros(3, length, 6)
        reply = student.run(own_encoding, d_model=6, max_seq_len=12, x=zeros)
        output = expect_floats(reply, "output", N=3, L=length, d_model=6)
        pe = expect_floats(reply, "pe", one=1, max_seq_len=12, d_model=6)
        expect(same(output, pe[:, :length].expand_as(output)), wording.OTHER_ROWS)


@points(1)
def check_keeps_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """The output has the input's dtype and device, and the input stays as it is."""
    x = numbers(3, 2, 5, 8)
    reply = student.run(in_both_precisions, x=x)
    single = reply.tensor("single").dtype
    expect(single == torch.float32, sentences.dtype_lost("output", single, torch.float32))
    expect_kept(reply)
    expect_unchanged(reply, {"x": x})
