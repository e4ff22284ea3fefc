"""Checks of `PositionalEncoding(embed_dim, dropout=0.1, max_len=512)`, which is batch first."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
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
from .dropped import expect_dropped

# An angle of up to 512 that was computed in float32 as exp(-log(10000) ...) is off by some 1e-4.
ATOL = 3e-4


@probe
def encoded(
    answers: Any, x: Any, max_len: int | None, p: float | None = None, training: bool = False
) -> dict[str, Any]:
    given: dict[str, Any] = {} if max_len is None else {"max_len": max_len}
    given |= {} if p is None else {"dropout": p}
    module = answers.PositionalEncoding(x.shape[-1], **given).train(training)
    torch.manual_seed(5)
    held = torch.tensor([0, *[buffer.numel() for buffer in module.buffers()]])
    parameters = sum(1 for _ in module.parameters())
    return {"output": module(x), "x": x, "held": held, "parameters": parameters}


@probe
def in_double(answers: Any, x: Any) -> dict[str, Any]:
    module = answers.PositionalEncoding(x.shape[-1]).double().eval()
    output = module(x.double())
    try:  # the meta device stands in for any device that is not the CPU
        device = module.to("meta")(x.to("meta")).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"output": output, "device": device}


def _columns(student: Student, expected: Expected, first: int) -> None:
    """Every other column of the encoding, read off from what is added to zeros."""
    for size, length, max_len in ((20, 512, None), (64, 30, 40)):
        zeros = torch.zeros(1, length, size)
        reply = student.run(encoded, x=zeros, max_len=max_len)
        found = expect_floats(reply, "output", B=1, L=length, embed_dim=size)
        columns = Reply.of({"encoding": found[..., first::2].float().contiguous()})
        expected.match(f"columns_{first}_of_{size}", columns, atol=ATOL)


@points(1)
def check_sine_in_the_even_columns(student: Student, expected: Expected) -> None:
    """The even columns 0, 2, 4, ... of the encoding hold the sines of the formula."""
    _columns(student, expected, 0)


@points(1)
def check_cosine_in_the_odd_columns(student: Student, expected: Expected) -> None:
    """The odd columns 1, 3, 5, ... of the encoding hold the cosines of the formula."""
    _columns(student, expected, 1)


@points(2)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The output is the input, unscaled, plus the encoding."""
    for case, shape, max_len in (("batch", (3, 7, 12), 9), ("batch_of_one", (1, 5, 6), None)):
        reply = student.run(encoded, x=numbers(1, *shape), max_len=max_len)
        output = Reply.of({"output": reply.tensor("output")})
        expected.match(case, output, atol=ATOL)


@values
@points(2)
def check_every_sequence_gets_the_same_encoding(student: Student, expected: Expected) -> None:
    """The encoding follows the positions, and is the same for every sequence of the batch."""
    for batch, length in ((6, 3), (3, 6), (4, 4)):
        x = torch.zeros(batch, length, 8)
        reply = student.run(encoded, x=x, max_len=8)
        output = expect_floats(reply, "output", B=batch, L=length, embed_dim=8)
        expect(same(output, output[:1].expand_as(output)), wording.BATCH_MIXED)
        moved = (output[:, 1:] - output[:, :-1]).abs().amax(dim=-1)
        expect((moved > 1e-3).all(), wording.SAME_AT_EVERY_POSITION)


@points(1)
def check_max_len_positions_fit(student: Student, expected: Expected) -> None:
    """Sequences of max_len positions fit, 512 unless told otherwise."""
    for max_len in (None, 5, 700):
        length = max_len or 512
        reply = student.run(encoded, x=torch.zeros(1, length, 6), max_len=max_len)
        expect_shape(reply, "output", B=1, L=length, embed_dim=6)
        held = reply.tensor("held")
        expect(held.dtype == torch.int64 and held.numel() > 0, wording.OTHER_BUFFER)
        expect(length * 6 in (int(held.max()), int(held.sum())), wording.OTHER_BUFFER)


@values
@points(2)
def check_drops_in_training(student: Student, expected: Expected) -> None:
    """In training, dropout acts on the sum with its probability, 0.1 unless told otherwise."""
    x = torch.full((4, 60, 32), 3.0)
    for p in (0.4, None):
        whole = _output(student.run(encoded, x=x, max_len=60, p=p), x)
        nothing = student.run(encoded, x=x, max_len=60, p=0.0, training=True)
        expect(same(whole, _output(nothing, x)), wording.DROPS_IN_EVALUATION)
        moved = _output(student.run(encoded, x=x, max_len=60, p=p, training=True), x)
        expect_dropped(moved, whole, 0.1 if p is None else p)


def _output(reply: Reply, x: torch.Tensor) -> torch.Tensor:
    return expect_floats(reply, "output", B=x.shape[0], L=x.shape[1], embed_dim=x.shape[2])


@points(1)
def check_is_a_buffer_and_keeps_dtype_device_and_input(
    student: Student, expected: Expected
) -> None:
    """Nothing is trained, the encoding moves with the module, and the input stays as it is."""
    x = numbers(2, 2, 5, 8)
    reply = student.run(encoded, x=x, max_len=16)
    expect(reply["parameters"] == 0, wording.TRAINED)
    expect((reply.tensor("held") > 0).any(), wording.NO_BUFFER)
    expect_kept(student.run(in_double, x=x))
    expect_unchanged(reply, {"x": x})
