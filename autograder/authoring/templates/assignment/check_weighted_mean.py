"""Checks of `weighted_mean(scores, values)`."""

from autograder.checking import Battery, Domain

domain = Domain(
    answer="weighted_mean",
    sizes={"N": 3, "n": 5, "d": 4},
    inputs={"scores": "N n", "values": "N n d"},
    returns={"mean": "N d"},
)
battery = Battery(domain, values=3, sizes=2, extremes=1, gradients=2, kind=1, care=1)
