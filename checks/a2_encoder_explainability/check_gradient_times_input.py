"""Checks of `gradient_times_input(model, x, position)`, on models that the box makes."""

from __future__ import annotations

from autograder.checking import Battery, Domain

from .explained import GRADIENT_TIMES_INPUT, with_dropout

domain = Domain(
    answer="gradient_times_input",
    sizes={
        **{"layers": 2, "B": 2, "L": 5, "heads": 3, "size": 4, "classes": 6},
        **{"rate": 0, "below": 0, "steep": 1},
    },
    smallest={"rate": 0, "below": 0, "classes": 2},
    largest={"rate": 0, "below": 1, "layers": 4},
    more={"where relevance is large": {"steep": 1000}},
    make=GRADIENT_TIMES_INPUT,
    inputs={"x": "B L size"},
    returns={"relevance for an inner position": "B L", "relevance for the last": "B L"},
    sets_mode="evaluation",
    clears_gradients=True,  # the question asks that none is left behind
    differentiable=False,
)
battery = Battery(domain, **{"values": 0.75, "sizes": 0.75, "extremes": 0.5, "care": 0.5})
dropped = Battery(with_dropout(domain), values=0.5)
