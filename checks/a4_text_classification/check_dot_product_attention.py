"""Checks of `DotProductAttention(dropout)`: its battery, and dropout on the weights."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Masks,
    Probe,
    Student,
    expect,
    expect_dropped,
    expect_floats,
    numbers,
    points,
    probe,
    same,
    values,
)

from . import wording


def made(answers: Any, **sizes: int) -> Any:
    return answers.DotProductAttention(0.3)


domain = Domain(
    answer="DotProductAttention",
    sizes={"B": 2, "heads": 3, "L_q": 4, "L_k": 7, "d": 5, "d_v": 6},
    make=Probe(made),
    inputs={
        **{"q": "B heads L_q d", "k": "B heads L_k d", "v": "B heads L_k d_v"},
        "padding_mask": Masks("B L_k"),
    },
    optional=("padding_mask",),
    dropout=True,
    returns={"output": "B heads L_q d_v"},
)
battery = Battery(
    domain,
    **{"values": 1, "bare": 0.5, "sizes": 1.5, "extremes": 1, "gradients": 4.5},
    **{"modes": 1.5, "kind": 1.5, "care": 1.5},
)


@probe
def attended(
    answers: Any, q: Any, k: Any, v: Any, training: bool, p: float, mask: Any = None
) -> dict[str, Any]:
    module = answers.DotProductAttention(p)
    module.train(training)
    torch.manual_seed(5)
    with torch.no_grad():  # dropping goes by the mode alone
        return {"output": module(q, k, v, padding_mask=mask)}


@values
@points(0.5, text="every weight on padding is *exactly* zero")
def check_padding_is_left_out_whatever_the_scores(student: Student) -> None:
    """Where every score of a real token is far below zero, padding still has no weight."""
    far = torch.full((2, 1, 5, 4), 2.0**16)  # scores of -8.6e9, at padding as elsewhere
    three = torch.tensor([[True, True, True, False, False], [False, False, True, True, True]])
    one = torch.tensor([[False, True, False, False, False], [False, False, False, True, False]])
    one_hot = torch.eye(5).expand(2, 1, 5, 5).contiguous()
    cases = [{"q": -far[:, :, :3], "k": far, "mask": one}]
    for size, mask in ((12.0, three), (200.0, one)):  # of many real tokens, such scores are rounded
        given = {"q": torch.full((2, 1, 3, 4), -size), "k": torch.full((2, 1, 5, 4), size)}
        given["k"][0, 0, 3:], given["k"][1, 0, :2] = -0.75 * size, 0.0
        cases.append({**given, "mask": mask})
    for given in cases:
        mask = given["mask"]
        reply = student.run(attended, p=0.3, training=False, v=one_hot, **given)
        weights = expect_floats(reply, "output", B=2, heads=1, L_q=3, d_v=5)
        even = (mask.double() / mask.sum(dim=-1, keepdim=True))[:, None, None]
        expect(same(weights, even.expand(2, 1, 3, 5)), wording.WEIGHT_ON_PADDING)


@values
@points(1.5, text="each weight is set to zero with probability $p$")
def check_drops_weights_in_training(student: Student) -> None:
    """In training, weights are dropped with the given probability; in evaluation none is."""
    keys, real = 60, 40
    one_hot_twice = torch.eye(keys).repeat(2, 2, 1, 2)  # what is dropped has to be so in both
    given = {"q": numbers(40, 2, 2, 30, 4), "k": numbers(41, 2, 2, keys, 4), "v": one_hot_twice}
    dims = {"B": 2, "heads": 2, "L_q": 30, "d_v": 2 * keys}
    padded = torch.arange(keys).expand(2, keys) < real

    def output(p: float, mask: torch.Tensor | None, *, training: bool) -> torch.Tensor:
        reply = student.run(attended, p=p, training=training, mask=mask, **given)
        return expect_floats(reply, "output", **dims)

    for p, mask in ((0.3, None), (0.6, None), (0.0, None), (0.3, padded)):
        weights = output(p, mask, training=False)
        expect(same(weights, output(0.0, mask, training=False)), wording.DROPS_IN_EVALUATION)
        dropped = output(p, mask, training=True)
        first, second = dropped[..., :keys], dropped[..., keys:]
        seen = slice(keys if mask is None else real)
        expect_dropped(first[..., seen], weights[..., seen], p)
        expect(same(first, second), wording.DROPS_ELSEWHERE)
        gone = first[..., seen] == 0
        alike = torch.equal(gone[0], gone[1]) or torch.equal(gone[:, 0], gone[:, 1])
        expect(p == 0 or not alike, wording.DROPS_ALIKE)
