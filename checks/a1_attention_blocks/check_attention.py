"""Checks of `attention(q, k, v)`."""

from autograder.checking import Battery, Domain

domain = Domain(
    answer="attention",
    sizes={"N": 2, "L_q": 3, "L_k": 5, "d_k": 512, "d_v": 6},
    inputs={"q": "N L_q d_k", "k": "N L_k d_k", "v": "N L_k d_v"},
    returns={"output": "N L_q d_v", "att_values": "N L_q L_k"},
    forbidden=("scaled_dot_product", "multi_head_attention_forward"),
    ready_made=("attention",),
)
battery = Battery(domain, values=6, sizes=3, extremes=3, gradients=9, kind=3, way=3, care=3)
