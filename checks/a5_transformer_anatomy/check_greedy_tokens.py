"""Checks of `greedy_tokens(logits)`: probabilities over the vocabulary, and the best ids."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograder.checking import (
    Battery,
    Domain,
    Floats,
    Probe,
    Student,
    expect,
    numbers,
    points,
    probe,
)

from . import wording


def probabilities(greedy_tokens: Any, logits: Any) -> Any:
    found = greedy_tokens(logits)
    # among equal logits any token may be the best
    return found[0] if isinstance(found, tuple | list) and len(found) == 2 else None


domain = Domain(
    answer="greedy_tokens",
    sizes={"N": 2, "L": 3, "V": 5},
    inputs={"logits": Floats("N L V", scale=2.0)},
    returns={"probabilities": "N L V", "token_ids": "N L"},
    more={"for a large vocabulary": {"V": 50}},
    differentiable=False,
    extremes=False,
    atol=1e-6,
)
battery = Battery(domain, values=0.75, sizes=0.25, kind=0.25, care=0.25)
extreme = Battery(
    replace(
        domain,
        part="probabilities",
        about="extreme logits",
        inputs={"logits": Floats("N L V", scale=300.0)},
        returns={"probabilities": "N L V"},
        call=Probe(probabilities),
        extremes=True,
    ),
    everywhere=0.25,
)


@probe
def chosen(answers: Any, logits: Any) -> dict[str, Any]:
    found = answers.greedy_tokens(logits)
    return {"ids": found[1] if isinstance(found, tuple | list) and len(found) == 2 else None}


@points(0.25, text="the ids of the most probable tokens, integers of shape (N, L)")
def check_ids_of_close_logits(student: Student) -> None:
    """The best token may stand anywhere in a large vocabulary, and be the best by little."""
    for words, places in ((50_000, (49_999, 33_001, 301)), (5, (4, 0, 2))):
        logits = numbers(3, 1, len(places), words).clamp(max=0.5)
        logits[0, range(len(places)), places] = 0.5005
        ids = student.run(chosen, logits=logits).tensor("ids")
        right = ids.shape == (1, len(places)) and ids[0].tolist() == list(places)
        expect(right, wording.OTHER_BEST)
