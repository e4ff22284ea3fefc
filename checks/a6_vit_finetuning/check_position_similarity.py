"""Checks of `position_similarity(position_embeddings)`: cosines of all pairs of positions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Floats,
    Reply,
    Student,
    numbers,
    points,
    probe,
)

domain = Domain(
    answer="position_similarity",
    sizes={"N": 3, "D": 2},
    inputs={"position_embeddings": "1 1+N D"},
    returns={"similarity": "N N"},
    more={"for many positions": {"N": 70}, "for long vectors": {"D": 40}},
    # no case of zeros, which large inputs have too: a vector without a length has no direction
    only=(
        *("example", "other", "equal", "equal_widths", "ones", "single", "alike"),
        *("double", "strided", "device", "for many positions", "for long vectors"),
    ),
    differentiable=False,
)
battery = Battery(domain, values=1, sizes=1, extremes=0.5, kind=0.5, care=0.5)
short, lengthy = (
    Battery(
        replace(
            domain,
            part=part,
            about=f"for {part} vectors",
            inputs={"position_embeddings": Floats("1 1+N D", scale=scale)},
            only=("example", "other"),
        ),
        everywhere=0.5,
    )
    for part, scale in (("short", 1e-3), ("lengthy", 1e3))
)


@probe
def of_a_parameter(answers: Any, embeddings: Any) -> dict[str, Any]:
    return {"similarity": answers.position_similarity(torch.nn.Parameter(embeddings)).detach()}


@points(0.5, text="It takes the model's parameter")
def check_takes_a_parameter(student: Student, expected: Expected) -> None:
    """It works with the parameter itself, which requires a gradient."""
    reply = student.run(of_a_parameter, embeddings=numbers(2, 1, 6, 24))
    expected.match("parameter", Reply.of({"similarity": reply.tensor("similarity")}))
