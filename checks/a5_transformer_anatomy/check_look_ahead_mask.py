"""Checks of `create_look_ahead_mask(size)`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Student,
    expect,
    expect_floats,
    expect_shape,
    numbers,
    points,
    probe,
    same,
    values,
)
from autograder.results import sentences

from . import wording

SIZES = (1, 2, 5, 9)


@probe
def made(answers: Any, size: int) -> dict[str, Any]:
    return {"mask": answers.create_look_ahead_mask(size)}


@probe
def used(answers: Any, q: Any, k: Any, v: Any) -> dict[str, Any]:
    mask = answers.create_look_ahead_mask(q.shape[-2])
    output, weights = answers.scaled_dot_product_attention(q, k, v, mask)
    return {"output": output, "weights": weights}


def _mask(student: Student, size: int) -> torch.Tensor:
    """The mask as a boolean table, whatever its dtype."""
    mask = expect_shape(student.run(made, size=size), "mask", one=1, other=1, size=size, too=size)
    return mask[0, 0] != 0


@points(2)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The mask has the shape (1, 1, size, size)."""
    for size in SIZES:
        _mask(student, size)


@points(2)
def check_mask_is_boolean(student: Student, expected: Expected) -> None:
    """The mask holds truth values."""
    for size in SIZES:
        expect(student.run(made, size=size).tensor("mask").dtype == torch.bool, wording.NOT_BOOLEAN)


@points(1)
def check_each_position_sees_itself(student: Student, expected: Expected) -> None:
    """Each position may attend to itself."""
    for size in SIZES:
        expect(_mask(student, size).diagonal().all(), wording.NOT_ITSELF)


@points(1)
def check_no_position_sees_the_future(student: Student, expected: Expected) -> None:
    """No position may attend to a later one."""
    for size in SIZES:
        expect(not _mask(student, size).triu(1).any(), wording.FUTURE_SEEN)


@values
@points(3)
def check_mask_is_true_for_the_past(student: Student, expected: Expected) -> None:
    """The mask is true at the position itself and at those before it, and only there."""
    for size in SIZES:
        place = torch.arange(size)
        wanted = place[None, :] <= place[:, None]
        expect(torch.equal(_mask(student, size), wanted), wording.NOT_THE_MASK)


@values
@points(1)
def check_works_with_your_attention(student: Student, expected: Expected) -> None:
    """With your attention a later key changes nothing at an earlier query."""
    shape = {"N": 2, "heads": 3, "L_q": 5, "d_v": 4}
    q, k, v = (numbers(seed, 2, 3, 5, 4) for seed in (1, 2, 3))
    later = v.clone()
    later[:, :, 3:] += 4
    outputs = [
        expect_floats(student.run(used, q=q, k=k, v=values), "output", **shape)
        for values in (v, later)
    ]
    expect(outputs[0].isfinite().all(), sentences.not_finite("output"))
    expect(same(outputs[0][:, :, :3], outputs[1][:, :, :3]), wording.NOT_WITH_ATTENTION)
    moved = (outputs[0] - outputs[1])[:, :, 3:].abs().amax(dim=-1)
    expect((moved > 1e-6).all(), wording.NOT_WITH_ATTENTION)
