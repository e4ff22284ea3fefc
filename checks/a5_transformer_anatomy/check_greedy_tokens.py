"""Checks of `greedy_tokens(logits)`: probabilities over the vocabulary, and the best ids."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_shape,
    expect_unchanged,
    numbers,
    points,
    probe,
    same,
    values,
)
from autograder.results import sentences

from . import wording


@probe
def chosen(answers: Any, logits: Any) -> dict[str, Any]:
    torch.manual_seed(8)
    found = answers.greedy_tokens(logits)
    pair = found if isinstance(found, (tuple, list)) else (found,)
    answered = dict(zip(("probabilities", "token_ids"), pair, strict=False))
    try:  # the meta device stands in for any device that is not the CPU
        there = answers.greedy_tokens(logits.to("meta"))
        device = "".join(sorted({part.device.type for part in there}))
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {**answered, "logits": logits, "device": device}


CASES = {
    "batch": numbers(1, 3, 5, 11, scale=2.0),
    "batch_of_one": numbers(2, 1, 4, 30, scale=2.0),
    "one_position": numbers(3, 2, 1, 6, scale=2.0),
    "square": numbers(4, 4, 4, 4, scale=2.0),
}
LARGE = numbers(5, 2, 3, 7, scale=400.0)


def _dims(logits: torch.Tensor) -> dict[str, int]:
    return dict(zip(("N", "L", "V"), logits.shape, strict=True))


@points(2)
def check_shapes_fit(student: Student, expected: Expected) -> None:
    """Probabilities have the shape (N, L, V), ids are integers of the shape (N, L)."""
    for logits in CASES.values():
        reply = student.run(chosen, logits=logits)
        expect_shape(reply, "probabilities", **_dims(logits))
        ids = expect_shape(reply, "token_ids", N=logits.shape[0], L=logits.shape[1])
        whole = ids.dtype in (torch.int64, torch.int32)
        expect(whole, wording.NOT_WHOLE_NUMBERS.format(name="token_ids"))


@points(1)
def check_probabilities_sum_to_one(student: Student, expected: Expected) -> None:
    """The probabilities of each position sum to 1 over the vocabulary."""
    for logits in CASES.values():
        found = expect_floats(student.run(chosen, logits=logits), "probabilities", **_dims(logits))
        sums = found.sum(dim=-1)
        expect(same(sums, torch.ones_like(sums)), wording.NOT_ONE)


@points(2)
def check_probabilities_have_the_right_values(student: Student, expected: Expected) -> None:
    """The probabilities have the right values."""
    for case, logits in CASES.items():
        reply = student.run(chosen, logits=logits)
        found = Reply.of({"probabilities": reply.tensor("probabilities")})
        expected.match(case, found, atol=1e-6)


@values
@points(3)
def check_ids_are_those_of_the_largest_logits(student: Student, expected: Expected) -> None:
    """The token of each position is the most probable one."""
    for logits in CASES.values():
        reply = student.run(chosen, logits=logits)
        ids = expect_shape(reply, "token_ids", N=logits.shape[0], L=logits.shape[1])
        expect(torch.equal(ids.long(), logits.argmax(dim=-1)), wording.NOT_THE_BEST)


@values
@points(1)
def check_large_logits_do_not_overflow(student: Student, expected: Expected) -> None:
    """Large logits give finite probabilities and the right tokens."""
    reply = student.run(chosen, logits=LARGE)
    found = expect_floats(reply, "probabilities", **_dims(LARGE))
    expect(found.isfinite().all(), sentences.not_finite("probabilities"))
    ids = expect_shape(reply, "token_ids", N=2, L=3)
    expect(torch.equal(ids.long(), LARGE.argmax(dim=-1)), wording.NOT_THE_BEST)


@points(1)
def check_keeps_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """Probabilities have the dtype and device of the logits, which stay as they are."""
    logits = CASES["batch"].double()
    reply = student.run(chosen, logits=logits)
    dtype = reply.tensor("probabilities").dtype
    expect(dtype == torch.float64, sentences.float64_lost("probabilities", dtype))
    expect(reply["device"] == "meta", sentences.other_device())
    expect_unchanged(reply, {"logits": logits})
