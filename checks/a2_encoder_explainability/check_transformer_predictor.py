"""Checks of `TransformerPredictor`, the whole model."""

from __future__ import annotations

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_count,
    expect_floats,
    expect_gradients,
    expect_kept,
    expect_unchanged,
    numbers,
    points,
    same,
)

from . import wording
from .modules import (
    Inputs,
    differentiated,
    expect_linked,
    expect_parts,
    filled,
    in_double,
    match_filled,
)

NAME = "TransformerPredictor"
SIZES = {"input_dim": 5, "model_dim": 8, "num_classes": 7, "num_heads": 2, "num_layers": 2}
X = numbers(1, 3, 6, 5)
CASES: dict[str, Inputs] = {
    "two_layers": {**SIZES, "dropout": 0.5, "input_dropout": 0.5, "x": X},
    "one_layer": {
        "input_dim": 3,
        "model_dim": 6,
        "num_classes": 2,
        "num_heads": 3,
        "num_layers": 1,
        "x": numbers(2, 1, 4, 3),
    },
}
BAG: dict[str, Inputs] = {
    "bag": {**SIZES, "x": X, "positions": False},
    "bag_one_layer": {**CASES["one_layer"], "positions": False},
}
CAUSAL: Inputs = {**SIZES, "x": X, "mask": torch.ones(6, 6, dtype=torch.bool).tril()}
DROPPED: dict[str, Inputs] = {
    "dropped": {**SIZES, "x": X, "dropout": 0.3, "seed": 11},
    "input_dropped": {**SIZES, "x": X, "input_dropout": 0.4, "seed": 12},
    "both_dropped": {**SIZES, "x": X, "dropout": 0.2, "input_dropout": 0.1, "seed": 13},
}
DIMS = {"B": 3, "L": 6, "num_classes": 7}


def _inside(size: int, inputs: int, classes: int, layers: int) -> list[tuple[int, int]]:
    width = 2 * size
    block = [(3 * size, size), (size, size), (width, size), (size, width)]
    return [(size, inputs), *block * layers, (size, size), (classes, size)]


@points(1)
def check_shapes_fit(student: Student, expected: Expected) -> None:
    """The logits are (B, L, num_classes), and there is one map for each layer."""
    expect_floats(student.run(filled, name=NAME, **CASES["two_layers"]), "output", **DIMS)
    small = CASES["one_layer"]
    reply = student.run(filled, name=NAME, **small)
    expect_floats(reply, "output", B=1, L=4, num_classes=2)
    for inputs, layers, dims in (
        (CASES["two_layers"], 2, {"B": 3, "heads": 2, "L_q": 6, "L_k": 6}),
        (small, 1, {"B": 1, "heads": 3, "L_q": 4, "L_k": 4}),
    ):
        reply = student.run(filled, name=NAME, look=True, **inputs)
        expect_count(reply, "maps", layers, wording.MAPS_MISSING)
        for layer in range(layers):
            expect_floats(reply, f"map_{layer}", **dims)


@points(1)
def check_has_the_parts(student: Student, expected: Expected) -> None:
    """Input net, blocks of feed-forward width 2 * model_dim, and output net have their sizes."""
    for size, inputs, classes, heads, layers in ((8, 5, 7, 2, 2), (6, 3, 2, 1, 1)):
        sizes = {"input_dim": inputs, "model_dim": size, "num_classes": classes}
        given: Inputs = {**sizes, "num_heads": heads, "num_layers": layers}
        x = numbers(3, 1, 2, inputs)
        linear = _inside(size, inputs, classes, layers)
        expect_parts(student, NAME, {**given, "x": x}, linear, [size] * (2 * layers + 1))


@points(2)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """In evaluation mode the logits have the right values."""
    match_filled(student, expected, CASES, NAME)


@points(1)
def check_positions_can_be_switched_off(student: Student, expected: Expected) -> None:
    """With `add_positional_encoding=False` the model treats a sequence as a bag of vectors."""
    match_filled(student, expected, BAG, NAME)
    order = torch.tensor([4, 0, 5, 2, 1, 3])
    bag: Inputs = {**SIZES, "positions": False}
    plain = student.run(filled, name=NAME, x=X, **bag)
    moved = student.run(filled, name=NAME, x=X[:, order], **bag)
    output = expect_floats(plain, "output", **DIMS)
    shuffled = expect_floats(moved, "output", **DIMS)
    expect(same(shuffled, output[:, order]), wording.ORDER_MATTERS)


@points(2)
def check_maps_belong_to_the_logits(student: Student, expected: Expected) -> None:
    """`get_attention_maps` shows the layers' maps, and beside them the logits, in one graph."""
    looks: dict[str, Inputs] = {
        "maps": {**SIZES, "x": X, "look": True},
        "bag_maps": {**SIZES, "x": X, "look": True, "positions": False},
        "causal_maps": {**CAUSAL, "look": True},
    }
    match_filled(student, expected, looks, NAME, ("map_0", "map_1", "beside"))
    reply = student.run(filled, name=NAME, **looks["maps"])
    expect(reply["same_alone"] is True, wording.MAPS_NOT_ALONE)
    expect_linked(student, NAME, 2, X, numbers(4, 3, 6, 7), **SIZES)


@points(1)
def check_mask_reaches_the_encoder(student: Student, expected: Expected) -> None:
    """Under a causal mask the logits have the right values and do not see the future."""
    match_filled(student, expected, {"causal": CAUSAL}, NAME)
    later = X.clone()
    later[:, 4:] += 3
    plain = expect_floats(student.run(filled, name=NAME, **CAUSAL), "output", **DIMS)
    reply = student.run(filled, name=NAME, **{**CAUSAL, "x": later})
    moved = expect_floats(reply, "output", **DIMS)
    expect(same(moved[:, :4], plain[:, :4]), wording.HIDDEN_SAY)


@points(1)
def check_drops_out_at_its_rates(student: Student, expected: Expected) -> None:
    """In training mode input_dropout acts on the input, dropout in the blocks and the output."""
    match_filled(student, expected, DROPPED, NAME)
    calm = expect_floats(student.run(filled, name=NAME, x=X, **SIZES), "output", **DIMS)
    reply: Reply = student.run(filled, name=NAME, x=X, seed=14, **SIZES)
    expect(same(expect_floats(reply, "output", **DIMS), calm), wording.NO_DEFAULT_ZERO)


@points(1)
def check_gradients_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """Gradients reach every parameter; dtype and device are kept, the input stays as it is."""
    reply = student.run(differentiated, name=NAME, x=X, direction=numbers(5, 3, 6, 7), **SIZES)
    expect_gradients(reply, **DIMS)
    expect_kept(student.run(in_double, name=NAME, x=X, **SIZES))
    expect_unchanged(student.run(filled, name=NAME, **CASES["two_layers"]), {"x": X})
