"""Checks of `MaskedSelfAttention(input_dim, key_dim, output_dim)`, a bonus without points."""

from autograder.checking import Battery, Domain

domain = Domain(
    answer="MaskedSelfAttention",
    sizes={"N": 2, "L": 5, "input_dim": 12, "key_dim": 8, "output_dim": 10},
    arguments=("input_dim", "key_dim", "output_dim"),
    attributes={"output_dim": "output_dim"},
    inputs={"x": "N L input_dim"},
    returns={"output": "N L output_dim"},
)
battery = Battery(
    domain,
    **{"values": 0, "sizes": 0, "extremes": 0, "gradients": 0},
    **{"modes": 0, "kind": 0, "parts": 0, "care": 0},
)
