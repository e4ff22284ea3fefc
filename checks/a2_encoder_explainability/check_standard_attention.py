"""Checks of `standard_attention(attention_maps, layer)`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograder.checking import Battery, Domain, Probe, Weights


def ends(subject: Any, attention_maps: Any) -> Any:
    return subject(attention_maps, 0), subject(attention_maps, -1)


def between(subject: Any, attention_maps: Any) -> Any:
    return subject(attention_maps, 1), subject(attention_maps, -2)


domain = Domain(
    answer="standard_attention",
    sizes={"layers": 4, "B": 2, "heads": 3, "L": 5},
    smallest={"layers": 2},
    inputs={"attention_maps": Weights("layers B heads L L")},
    returns={"mean of the first layer": "B L L", "mean of the last layer": "B L L"},
    lists=("attention_maps",),
    call=Probe(ends),
    differentiable=False,
)
battery = Battery(domain, **{"values": 1.5, "sizes": 1.25, "extremes": 0.5, "care": 0.75})
inner = Battery(
    replace(
        domain,
        part="between",
        about="layers between",
        inputs={"attention_maps": Weights("layers B heads L L", dropped=True)},
        returns={"mean of the second layer": "B L L", "mean of the last but one": "B L L"},
        call=Probe(between),
    ),
    everywhere=1,
)
