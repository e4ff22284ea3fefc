"""Checks of `greedy_tokens(logits)`: probabilities over the vocabulary, and the best ids."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograder.checking import Battery, Domain, Floats, Probe


def probabilities(greedy_tokens: Any, logits: Any) -> Any:
    found = greedy_tokens(logits)
    # among equal logits any token may be the best
    return found[0] if isinstance(found, tuple | list) and len(found) == 2 else None


domain = Domain(
    answer="greedy_tokens",
    sizes={"N": 2, "L": 3, "V": 5},
    inputs={"logits": Floats("N L V", scale=2.0)},
    returns={"probabilities": "N L V", "token_ids": "N L"},
    differentiable=False,
    extremes=False,
    atol=1e-6,
)
battery = Battery(domain, values=0.75, sizes=0.5, kind=0.25, care=0.25)
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
