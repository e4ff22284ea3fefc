"""Checks of `TransformerEncoder(num_layers, **block_args)` and its attention maps."""

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

NAME = "TransformerEncoder"
BLOCK = {"input_dim": 6, "num_heads": 2, "dim_feedforward": 10}
X = numbers(1, 2, 5, 6)
CASES: dict[str, Inputs] = {
    "three_layers": {**BLOCK, "num_layers": 3, "dropout": 0.5, "x": X},
    "one_layer": {
        "num_layers": 1,
        "input_dim": 4,
        "num_heads": 4,
        "dim_feedforward": 9,
        "x": numbers(2, 1, 3, 4),
    },
}
MASKED: dict[str, Inputs] = {
    "causal": {
        **BLOCK,
        "num_layers": 2,
        "x": X,
        "mask": torch.ones(5, 5, dtype=torch.bool).tril(),
    },
    "by_sequence": {
        **BLOCK,
        "num_layers": 2,
        "x": X,
        "mask": (numbers(3, 2, 1, 5, 5) > 0) | torch.eye(5).bool(),
    },
}
SMALL = {**BLOCK, "num_layers": 2}


def _names(inputs: Inputs) -> tuple[str, ...]:
    return tuple(f"map_{layer}" for layer in range(int(inputs["num_layers"])))


def _looked(student: Student, inputs: Inputs) -> Reply:
    """Maps and outputs; there must be one map for each layer."""
    reply = student.run(filled, name=NAME, look=True, **inputs)
    expect_count(reply, "maps", int(inputs["num_layers"]), wording.MAPS_MISSING)
    return reply


@points(1)
def check_shapes_fit(student: Student, expected: Expected) -> None:
    """The output is (B, L, D), and there is one map (B, heads, L, L) for each layer."""
    for case, heads in (("three_layers", 2), ("one_layer", 4)):
        inputs = CASES[case]
        assert isinstance(inputs["x"], torch.Tensor)
        batch, length, size = inputs["x"].shape
        reply = student.run(filled, name=NAME, **inputs)
        expect_floats(reply, "output", B=batch, L=length, D=size)
        reply = _looked(student, inputs)
        for name in _names(inputs):
            expect_floats(reply, name, B=batch, heads=heads, L_q=length, L_k=length)


@points(1)
def check_each_layer_is_a_block_of_its_own(student: Student, expected: Expected) -> None:
    """There are num_layers blocks, each with its own parameters, all of them registered."""
    for layers in (1, 4):
        inside = [(18, 6), (6, 6), (10, 6), (6, 10)] * layers
        inputs: Inputs = {**BLOCK, "num_layers": layers, "x": X}
        expect_parts(student, NAME, inputs, inside, [6, 6] * layers)


@points(2)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The output has the right values: each block works on what the one before returned."""
    match_filled(student, expected, CASES, NAME)


@points(2)
def check_maps_match_expected_values(student: Student, expected: Expected) -> None:
    """The maps are those of the layers, first layer first, each on that layer's own input."""
    for case, inputs in CASES.items():
        looked = {f"{case}_maps": {**inputs, "look": True}}
        _looked(student, inputs)
        match_filled(student, expected, looked, NAME, _names(inputs))


@points(1)
def check_outputs_stand_beside_the_maps(student: Student, expected: Expected) -> None:
    """With `return_outputs=True` the outputs are forward's; without, the same maps come alone."""
    for inputs in (CASES["three_layers"], MASKED["causal"]):
        output = expect_floats(student.run(filled, name=NAME, **inputs), "output", B=2, L=5, D=6)
        reply = _looked(student, inputs)
        expect(same(expect_floats(reply, "beside", B=2, L=5, D=6), output), wording.TWO_OUTPUTS)
        expect(reply["same_alone"] is True, wording.MAPS_NOT_ALONE)


@points(1)
def check_mask_reaches_every_layer(student: Student, expected: Expected) -> None:
    """The mask acts in all layers, in `forward` and in `get_attention_maps`."""
    match_filled(student, expected, MASKED, NAME)
    looked = {f"{case}_maps": {**inputs, "look": True} for case, inputs in MASKED.items()}
    match_filled(student, expected, looked, NAME, ("map_0", "map_1", "beside"))


@points(1)
def check_outputs_depend_on_the_maps(student: Student, expected: Expected) -> None:
    """A gradient goes from the outputs to each map that is returned beside them."""
    expect_linked(student, NAME, 2, X, numbers(4, 2, 5, 6), **SMALL)


@points(1)
def check_gradients_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """Gradients reach every parameter; dtype and device are kept, the input stays as it is."""
    reply = student.run(differentiated, name=NAME, x=X, direction=numbers(5, 2, 5, 6), **SMALL)
    expect_gradients(reply, B=2, L=5, D=6)
    expect_kept(student.run(in_double, name=NAME, x=X, **SMALL))
    expect_unchanged(student.run(filled, name=NAME, **CASES["three_layers"]), {"x": X})
