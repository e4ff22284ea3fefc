"""Checks of `attention_rollout(attention_maps)`."""

from __future__ import annotations

from dataclasses import replace

from autograder.checking import Battery, Domain, Weights

domain = Domain(
    answer="attention_rollout",
    sizes={"layers": 4, "B": 2, "heads": 3, "L": 5},
    largest={"layers": 6},
    inputs={"attention_maps": Weights("layers B heads L L")},
    returns={"rollout": "B L L"},
    lists=("attention_maps",),
    more={"for a single head": {"heads": 1}},
    differentiable=False,
)
battery = Battery(domain, **{"values": 3.5, "sizes": 2, "extremes": 1.5, "care": 1.5})
uneven = Battery(
    replace(
        domain,
        part="uneven",
        about="where rows of attention do not sum to 1",
        more={},
        inputs={"attention_maps": Weights("layers B heads L L", dropped=True)},
    ),
    everywhere=1.5,
)
