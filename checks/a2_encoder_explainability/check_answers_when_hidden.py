"""Checks of `answers_when_hidden(model, x, explanation)`, on models that the box makes."""

from __future__ import annotations

from dataclasses import replace

from autograder.checking import Battery, Domain, Floats, Weights

from .explained import HIDDEN, with_dropout

domain = Domain(
    answer="answers_when_hidden",
    sizes={
        **{"layers": 2, "B": 3, "L": 5, "heads": 4, "size": 6, "classes": 9},
        **{"rate": 0, "below": 0, "steep": 1},
    },
    smallest={"rate": 0, "below": 0, "L": 2, "size": 4, "classes": 9},
    largest={"rate": 0, "below": 1, "layers": 2},
    make=HIDDEN,
    inputs={"x": "B L size", "explanation": Weights("B L L")},
    returns={"answers": "B L"},
    sets_mode="evaluation",
    differentiable=False,
    extremes=False,
)
battery = Battery(domain, **{"values": 1.5, "sizes": 1, "care": 0.5})
signed = Battery(
    replace(
        domain,
        part="signed",
        about="where an explanation has negative numbers",
        inputs={"x": "B L size", "explanation": Floats("B L L")},
    ),
    everywhere=0.5,
)
far = Battery(
    replace(
        domain,
        part="far",
        about="where the numbers of an explanation lie far apart",
        inputs={"x": "B L size", "explanation": Floats("B L L", scale=1e12)},
    ),
    everywhere=0.5,
)
near = Battery(
    replace(
        domain,
        part="near",
        about="where the numbers of an explanation lie close together",
        inputs={"x": "B L size", "explanation": Floats("B L L", scale=1e-10)},
    ),
    everywhere=0.5,
)
dropped = Battery(with_dropout(domain), values=0.5)
