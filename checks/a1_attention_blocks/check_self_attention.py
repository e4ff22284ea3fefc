"""Checks of `SelfAttention(input_dim, key_dim, output_dim)`."""

from autograder.checking import Battery, Domain

domain = Domain(
    answer="SelfAttention",
    sizes={"N": 2, "L": 3, "input_dim": 6, "key_dim": 4, "output_dim": 5},
    arguments=("input_dim", "key_dim", "output_dim"),
    attributes={"output_dim": "output_dim"},
    more={"where a query is one number": {"key_dim": 1}},
    long=260,
    inputs={"x": "N L input_dim"},
    returns={"output": "N L output_dim"},
)
battery = Battery(
    domain,
    **{"values": 2, "sizes": 1.5, "extremes": 1.5, "gradients": 4.5},
    **{"modes": 1, "kind": 1.5, "parts": 1.5, "care": 1.5},
)
