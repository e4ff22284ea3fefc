"""Checks of `attention_rollout(attention_maps)`."""

from __future__ import annotations

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_shape,
    expect_unchanged,
    points,
    same,
    values,
)
from autograder.results import sentences

from . import wording
from .maps import (
    Maps,
    drawn_maps,
    elsewhere,
    explained,
    in_double,
    uneven,
)

NAME = "attention_rollout"
ONE_LAYER = {
    "one_layer": drawn_maps(10, 1, 2, 3, 5),
    "one_layer_one_head": drawn_maps(20, 1, 1, 1, 3),
}
LAYERS = {
    "two_layers": drawn_maps(30, 2, 1, 1, 4),
    "four_layers": drawn_maps(40, 4, 3, 2, 5),
}
UNEVEN = {
    "uneven": uneven(drawn_maps(50, 3, 2, 2, 4)),
    "uneven_one_layer": uneven(drawn_maps(60, 1, 1, 2, 6)),
}


def _match(student: Student, expected: Expected, cases: dict[str, Maps]) -> None:
    for case, maps in cases.items():
        reply = student.run(explained, function=NAME, **maps)
        expected.match(case, Reply.of({"explanation": reply.tensor("explanation")}))


def _rolled(student: Student, maps: Maps) -> torch.Tensor:
    """The rollout in float64, of the right shape."""
    batch, _, length, _ = maps["map_0"].shape
    reply = student.run(explained, function=NAME, **maps)
    return expect_floats(reply, "explanation", B=batch, L=length, L_=length)


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The rollout is (B, L, L), for any number of layers and heads."""
    for maps in (*ONE_LAYER.values(), *LAYERS.values()):
        _rolled(student, maps)


@points(1)
def check_rows_sum_to_one(student: Student, expected: Expected) -> None:
    """Each row of the rollout sums to 1."""
    for maps in (*LAYERS.values(), *UNEVEN.values()):
        sums = _rolled(student, maps).sum(dim=-1)
        expect(same(sums, torch.ones_like(sums)), wording.ROLLOUT_ROWS)


@points(2)
def check_one_layer(student: Student, expected: Expected) -> None:
    """For one layer it is half of the head mean and half of the identity."""
    _match(student, expected, ONE_LAYER)


@points(3)
def check_several_layers(student: Student, expected: Expected) -> None:
    """For several layers it is their matrix product, from the first layer to the last."""
    _match(student, expected, LAYERS)


@points(1)
def check_uneven_rows(student: Student, expected: Expected) -> None:
    """Where rows of attention do not sum to 1, each layer's rows are made to."""
    _match(student, expected, UNEVEN)


@values
@points(1)
def check_follows_the_hops(student: Student, expected: Expected) -> None:
    """Layers that hand on to a neighbour carry an input as many places as there are layers."""
    length = 5
    hop = torch.zeros(length, length)
    hop[torch.arange(length), (torch.arange(length) - 1).clamp_min(0)] = 1
    maps = {f"map_{layer}": hop.expand(1, 2, length, length).clone() for layer in range(3)}
    found = _rolled(student, maps)
    expect((found.triu(1) == 0).all(), wording.ROLLOUT_CAUSAL)
    reached = found[0, 4] > 0
    wrong = "An input does not travel one place for each layer."
    expect(reached.tolist() == [False, True, True, True, True], wrong)


@points(1)
def check_keeps_dtype_device_and_maps(student: Student, expected: Expected) -> None:
    """dtype and device of the maps are kept, and nothing is changed in place."""
    maps = in_double(LAYERS["four_layers"])
    reply = student.run(explained, function=NAME, **maps)
    found = expect_shape(reply, "explanation", B=3, L=5, L_=5)
    expect(found.dtype == torch.float64, sentences.float64_lost("explanation", found.dtype))
    expect_unchanged(reply, maps)
    reply = student.run(elsewhere, function=NAME, **LAYERS["four_layers"])
    expect(reply["device"] == "meta", sentences.other_device())
