"""Checks of `standard_attention(attention_maps, layer)`."""

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
)
from autograder.results import sentences

from . import wording
from .maps import (
    drawn_maps,
    elsewhere,
    explained,
    in_double,
    uneven,
)

NAME = "standard_attention"
CASES = {
    "many": drawn_maps(10, 3, 2, 4, 5),
    "batch_of_one": drawn_maps(20, 4, 1, 3, 2),
    "one_head": drawn_maps(30, 2, 3, 1, 4),
}


def _match(student: Student, expected: Expected, layers: dict[str, tuple[int, ...]]) -> None:
    for case, chosen in layers.items():
        for layer in chosen:
            reply = student.run(explained, function=NAME, layer=layer, **CASES[case])
            found = Reply.of({"explanation": reply.tensor("explanation")})
            expected.match(f"{case}_{layer}", found)


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The explanation is (B, L, L); its rows sum to 1."""
    for case, maps in CASES.items():
        batch, _, length, _ = maps["map_0"].shape
        reply = student.run(explained, function=NAME, layer=0, **CASES[case])
        found = expect_floats(reply, "explanation", B=batch, L=length, L_=length)
        sums = found.sum(dim=-1)
        expect(same(sums, torch.ones_like(sums)), wording.UNEVEN_ROWS)


@points(2)
def check_first_and_last_layer(student: Student, expected: Expected) -> None:
    """Layer 0 is the first, layer -1 the last; the heads are averaged."""
    _match(student, expected, {"many": (0, -1), "batch_of_one": (0, -1), "one_head": (0, -1)})


@points(1)
def check_layers_between(student: Student, expected: Expected) -> None:
    """The layers between, counted from either end, have the right values too."""
    _match(student, expected, {"many": (1, 2), "batch_of_one": (1, 2, -2, -3)})


@points(1)
def check_keeps_dtype_device_and_maps(student: Student, expected: Expected) -> None:
    """The maps are averaged as they are: dtype and device are kept, and nothing is changed."""
    maps = in_double(uneven(CASES["many"]))
    reply = student.run(explained, function=NAME, layer=1, **maps)
    found = expect_shape(reply, "explanation", B=2, L=5, L_=5)
    expect(found.dtype == torch.float64, sentences.float64_lost("explanation", found.dtype))
    expect_unchanged(reply, maps)
    expected.match("uneven", Reply.of({"explanation": found}))
    reply = student.run(elsewhere, function=NAME, layer=0, **CASES["many"])
    expect(reply["device"] == "meta", sentences.other_device())
