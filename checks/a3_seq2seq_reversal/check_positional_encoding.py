"""Checks of `PositionalEncoding`: its two kinds of columns, its buffer, and its forward."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    CheckFailure,
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

# An angle of up to 80 whose frequency was computed in float32 is off by some 1e-5.
ATOL = 1e-4


@probe
def encoded(answers: Any, d_model: int, max_len: int, x: Any) -> dict[str, Any]:
    module = answers.PositionalEncoding(d_model, max_len)
    return {"output": module(x), "x": x, "pe": getattr(module, "pe", None)}


@probe
def described(answers: Any, d_model: int, max_len: int | None) -> dict[str, Any]:
    given = [] if max_len is None else [max_len]
    module = answers.PositionalEncoding(d_model, *given)
    kinds = [name for name, _ in module.named_buffers()]
    return {
        "pe": getattr(module, "pe", None),
        "is_buffer": "pe" in kinds,
        "parameters": sum(1 for _ in module.parameters()),
    }


@probe
def in_both_precisions(answers: Any, x: Any) -> dict[str, Any]:
    module = answers.PositionalEncoding(x.shape[-1])
    single = module(x)
    x.requires_grad_()
    module(x).sum().backward()
    gradient = x.grad
    module = module.double()
    output = module(x.detach().double())
    module = module.to("meta")
    try:  # the meta device stands in for any device that is not the CPU
        device = module(x.detach().to("meta")).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        unable = isinstance(error, NotImplementedError) or "meta tensors" in str(error)
        device = "meta" if unable else "mixed"
    return {"single": single, "output": output, "device": device, "gradient": gradient}


def _columns(student: Student, expected: Expected, first: int) -> None:
    """Every other column of the encoding, read off from what is added to zeros."""
    for d_model, length in ((4, 50), (64, 80), (10, 60)):
        zeros = torch.zeros(1, length, d_model)
        reply = student.run(encoded, d_model=d_model, max_len=length, x=zeros)
        found = expect_floats(reply, "output", batch=1, L=length, d_model=d_model)
        columns = Reply.of({"encoding": found[..., first::2].float().contiguous()})
        expected.match(f"columns_{first}_of_{d_model}", columns, atol=ATOL)


@points(2)
def check_sine_in_the_even_columns(student: Student, expected: Expected) -> None:
    """The even columns 0, 2, 4, ... of the encoding hold the sines of the formula."""
    _columns(student, expected, 0)


@points(2)
def check_cosine_in_the_odd_columns(student: Student, expected: Expected) -> None:
    """The odd columns 1, 3, 5, ... of the encoding hold the cosines of the formula."""
    _columns(student, expected, 1)


@points(2)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The output has the right values, also when the sequence is shorter than max_len."""
    for case, d_model, max_len, shape in (
        ("batch", 10, 12, (3, 7, 10)),
        ("batch_of_one", 6, 50, (1, 1, 6)),
    ):
        x = numbers(1, *shape)
        reply = student.run(encoded, d_model=d_model, max_len=max_len, x=x)
        expected.match(case, Reply.of({"output": reply.tensor("output")}), atol=ATOL)


@points(2)
def check_pe_is_a_buffer(student: Student, expected: Expected) -> None:
    """`pe` is a buffer of the shape (1, max_len, d_model), and nothing is trained."""
    for d_model, length in ((6, 9), (8, None)):
        reply = student.run(described, d_model=d_model, max_len=length)
        expect(reply["is_buffer"] is True, wording.NO_BUFFER)
        expect_shape(reply, "pe", one=1, max_len=length or 50, d_model=d_model)
        expect_count(reply, "parameters", 0, wording.TRAINED)


@points(1)
def check_adds_the_first_positions(student: Student, expected: Expected) -> None:
    """The input goes into the sum as it is; L positions get the first L rows of `pe`."""
    for length in (1, 5, 12):
        x = numbers(2, 3, length, 6)
        reply = student.run(encoded, d_model=6, max_len=12, x=x)
        output = expect_floats(reply, "output", N=3, L=length, d_model=6)
        pe = expect_floats(reply, "pe", one=1, max_len=12, d_model=6)
        added = output - x.double()
        expect(same(added, added[:1].expand_as(added)), wording.INPUT_SCALED)
        expect(same(added, pe[:, :length].expand_as(added)), wording.OTHER_ROWS)


@points(1)
def check_keeps_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """The output has the input's dtype and device, and the input stays as it is."""
    x = numbers(3, 2, 5, 8)
    reply = student.run(in_both_precisions, x=x)
    single = reply.tensor("single")
    if single.dtype != torch.float32:
        raise CheckFailure(sentences.dtype_lost("output", single.dtype, torch.float32))
    expect_kept(reply)
    gradient = expect_floats(reply, "gradient", N=2, L=5, d_model=8)
    expect(same(gradient, torch.ones_like(gradient)), wording.INPUT_SCALED)
    expect_unchanged(student.run(encoded, d_model=8, max_len=9, x=x), {"x": x})
