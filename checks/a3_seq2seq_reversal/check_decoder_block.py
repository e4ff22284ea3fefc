"""Checks of `DecoderBlock(d_model, num_heads, d_ff)`."""

from __future__ import annotations

import torch

from autograder.checking import (
    Expected,
    Student,
    expect,
    expect_floats,
    expect_gradients,
    expect_kept,
    expect_shape,
    expect_unchanged,
    expect_varied,
    numbers,
    points,
    same,
    sizes_of,
    values,
)

from . import wording
from .filling import decoder_weights
from .modules import (
    Case,
    applied,
    differentiated,
    expect_parts,
    in_double,
    match_filled,
)

NAME = "DecoderBlock"
ORDER = "x memory self_mask cross_mask"
SIZES = sizes_of(6, 2, 10)
DIMS = {"N": 2, "L": 4, "d_model": 6}
CAUSAL = torch.ones(4, 4, dtype=torch.bool).tril()
PADDING = torch.tensor([[[[True] * 7]], [[[True] * 4 + [False] * 3]]])
X, MEMORY = numbers(1, 2, 4, 6, scale=2.0), numbers(2, 2, 7, 6, scale=2.0)


def _case(seed: int, d_model: int, heads: int, d_ff: int, **inputs: torch.Tensor) -> Case:
    weights = decoder_weights(seed, d_model, d_ff)
    return {"sizes": sizes_of(d_model, heads, d_ff), "heads": heads, **inputs, **weights}


OPEN = {
    "longer_memory": _case(100, 6, 3, 10, x=X, memory=MEMORY),
    "batch_of_one": _case(
        200, 8, 2, 5, x=numbers(3, 1, 5, 8, scale=2.0), memory=numbers(4, 1, 2, 8, scale=2.0)
    ),
}
MASKED = {
    "causal": _case(300, 6, 2, 10, x=X, memory=MEMORY, self_mask=CAUSAL),
    "both": _case(400, 6, 1, 7, x=X, memory=MEMORY, self_mask=CAUSAL, cross_mask=PADDING),
    "padding": _case(500, 6, 2, 10, x=X, memory=MEMORY, cross_mask=PADDING),
}


def _match(student: Student, expected: Expected, cases: dict[str, Case]) -> None:
    kept = ("sizes", *ORDER.split())
    seeded = {
        f"seeded_{case}": {"seed": 3, **{name: given[name] for name in kept if name in given}}
        for case, given in cases.items()
    }
    match_filled(student, expected, NAME, ORDER, cases, seeded)


def _twice(student: Student, **given: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The outputs of two runs of the same module."""
    reply = student.run(applied, name=NAME, order=ORDER, sizes=SIZES, **given)
    return expect_varied(reply, "output", **DIMS), expect_floats(reply, "second", **DIMS)


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The output is one tensor with the shape of x, whatever the length of the memory."""
    for n, length, other in ((2, 4, 7), (1, 5, 2)):
        given = {"x": numbers(5, n, length, 6), "memory": numbers(6, n, other, 6)}
        reply = student.run(applied, name=NAME, order=ORDER, sizes=SIZES, **given)
        expect_shape(reply, "output", N=n, L=length, d_model=6)


@points(1)
def check_has_its_layers(student: Student, expected: Expected) -> None:
    """It has two attentions, two linear layers of the right sizes and three norms."""
    for case in OPEN.values():
        expect_parts(student, NAME, ORDER, case)


@points(2)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """Without masks, the output has the right values."""
    _match(student, expected, OPEN)


@points(2)
def check_matches_expected_values_under_masks(student: Student, expected: Expected) -> None:
    """Under each mask alone and under both, the output has the right values."""
    _match(student, expected, MASKED)


@values
@points(1)
def check_causal_mask_hides_the_future(student: Student, expected: Expected) -> None:
    """With a causal self_mask a position feels its past and itself, and nothing later."""
    for changed in range(4):
        x = X.clone()
        x[:, changed] = numbers(20 + changed, 6, scale=2.0)
        output, second = _twice(student, x=X, x_2=x, memory=MEMORY, self_mask=CAUSAL)
        expect(same(second[:, :changed], output[:, :changed], 1e-6), wording.FUTURE_SEEN)
        moved = (second - output).abs().amax(dim=(0, 2))
        expect((moved[changed:] > 1e-6).all(), wording.PAST_UNSEEN)


@values
@points(1)
def check_memory_is_looked_at(student: Student, expected: Expected) -> None:
    """The output depends on the memory, not on its order, and not where cross_mask hides it."""
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
    output, second = _twice(student, x=X, memory=MEMORY, memory_2=MEMORY[:, order])
    expect(same(second, output), wording.ORDER_MATTERS)
    output, second = _twice(student, x=X, memory=MEMORY, memory_2=numbers(30, 2, 7, 6, scale=2.0))
    expect(not same(second, output, 1e-3), wording.MEMORY_UNSEEN)
    changed = MEMORY.clone()
    changed[1, 4:] += 5
    output, second = _twice(
        student, x=X, memory=MEMORY, memory_2=changed, self_mask=CAUSAL, cross_mask=PADDING
    )
    expect(same(second, output), wording.PADDING_SEEN)


@points(1)
def check_gradients_reach_every_parameter(student: Student, expected: Expected) -> None:
    """The gradient of the output reaches x, the memory and every parameter."""
    given = {"x": X, "memory": MEMORY, "direction": numbers(9, 2, 4, 6)}
    reply = student.run(differentiated, name=NAME, order=ORDER, sizes=SIZES, **given)
    expect_gradients(reply, **DIMS)


@points(1)
def check_keeps_dtype_device_and_inputs(student: Student, expected: Expected) -> None:
    """The output has the inputs' dtype and device, and the inputs stay as they are."""
    given = {"x": X, "memory": MEMORY, "self_mask": CAUSAL, "cross_mask": PADDING}
    expect_kept(student.run(in_double, name=NAME, order=ORDER, sizes=SIZES, **given))
    reply = student.run(applied, name=NAME, order=ORDER, sizes=SIZES, **given)
    expect_unchanged(reply, given)
