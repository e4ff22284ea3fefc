"""Checks of `MaskedSelfAttention(input_dim, key_dim, output_dim)`, a bonus without points."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Student,
    expect,
    expect_floats,
    numbers,
    points,
    probe,
    same,
)

from . import wording

domain = Domain(
    answer="MaskedSelfAttention",
    sizes={"N": 2, "L": 5, "input_dim": 12, "key_dim": 8, "output_dim": 10},
    arguments=("input_dim", "key_dim", "output_dim"),
    attributes={"output_dim": "output_dim"},
    inputs={"x": "N L input_dim"},
    returns={"output": "N L output_dim"},
    long=260,  # longer than most masks that are kept in tables
)
battery = Battery(
    domain,
    **{"values": 0, "sizes": 0, "extremes": 0, "gradients": 0},
    **{"modes": 0, "kind": 0, "parts": 0, "care": 0},
)


@probe
def without_numbers(answers: Any, x: torch.Tensor) -> dict[str, Any]:
    module = answers.MaskedSelfAttention(6, 4, 3)
    with torch.no_grad():
        module(x)  # which makes layers that are lazy
        for parameter in module.parameters():
            parameter.zero_()
        return {"output": module(x)}


@points(0, text="The output at position $m$ depends on the positions $0, \\dots, m$ only")
def check_scores_of_zero_are_scores(student: Student) -> None:
    """Where all queries and keys are zero, every position still has a past to look at."""
    reply = student.run(without_numbers, x=numbers(1, 2, 5, 6))
    found = expect_floats(reply, "output", N=2, L=5, output_dim=3)
    expect(bool((found == 0).all()), wording.ZERO_HIDDEN)


@probe
def at_the_start(answers: Any, x: torch.Tensor) -> dict[str, Any]:
    module = answers.MaskedSelfAttention(6, 4, 3)
    with torch.no_grad():
        module(x)  # which makes layers that are lazy
    for number, (_, one) in enumerate(sorted(module.named_parameters())):  # in whichever order
        torch.manual_seed(number)
        torch.nn.init.normal_(one, std=0.5)
    return {"whole": module(x)[:, :1], "alone": module(x[:, :1])}


@points(0, text="The output at position $m$ depends on the positions $0, \\dots, m$ only")
def check_later_scores_are_out_of_reach(student: Student) -> None:
    """The first position sees itself alone, also where scores are vast."""
    for largest, sentence in ((1.0, wording.FUTURE_SEEN), (1e6, wording.FINITE_MASK)):
        reply = student.run(at_the_start, x=largest * numbers(3, 16, 5, 6))
        whole, alone = (
            expect_floats(reply, name, N=16, L=1, output_dim=3) for name in ("whole", "alone")
        )
        expect(same(whole, alone, atol=1e-3 * largest), sentence)
