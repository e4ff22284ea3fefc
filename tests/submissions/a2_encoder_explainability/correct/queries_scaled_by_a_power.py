"""Multiplies the queries by a power of their width before they meet the keys.

score: 100
"""


# %% scaled_dot_product
def scaled_dot_product(q, k, v, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", q * q.size(-1) ** -0.5, k)
    if mask is not None:
        scores = torch.where(mask == 0, -torch.inf, scores)
    attention = torch.softmax(scores, dim=-1)
    return torch.einsum("...qk,...kd->...qd", attention, v), attention
