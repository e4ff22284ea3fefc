"""Checks of `weighted_mean(scores, values)`."""

from dataclasses import replace

from autograder.checking import Battery, Domain

domain = Domain(
    answer="weighted_mean",
    sizes={"N": 3, "n": 5, "d": 4},
    inputs={"scores": "N n", "values": "N n d"},
    returns={"mean": "N d"},
)
battery = Battery(domain, values=2, sizes=1, extremes=1, gradients=3, kind=1, care=1)
one_row = Battery(
    replace(
        domain,
        part="one_row",
        about="for one row of scores",
        only=("example",),
        inputs={"scores": "n", "values": "n d"},
        returns={"mean": "d"},
    ),
    everywhere=1,
)
