"""Checks of `CrossAttention(x_input_dim, y_input_dim, key_dim, output_dim)`."""

from autograder.checking import Battery, Domain

domain = Domain(
    answer="CrossAttention",
    sizes={"N": 2, "L_x": 3, "L_y": 7, "x_dim": 6, "y_dim": 5, "key_dim": 4, "output_dim": 8},
    arguments=("x_dim", "y_dim", "key_dim", "output_dim"),
    attributes={"output_dim": "output_dim"},
    more={"where a query is one number": {"key_dim": 1}},
    long=260,
    inputs={"x": "N L_x x_dim", "y": "N L_y y_dim"},
    returns={"output": "N L_x output_dim"},
)
battery = Battery(
    domain,
    **{"values": 2, "sizes": 1.5, "extremes": 1.5, "gradients": 4.5},
    **{"modes": 1, "kind": 1.5, "parts": 1.5, "care": 1.5},
)
