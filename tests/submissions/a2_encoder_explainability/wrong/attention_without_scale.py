"""Forgets the square root of d_k, in the function that everything is built on.

score: 97.25
scaled_dot_product: wrong 2.25
"""


# %% scaled_dot_product
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    attention = torch.softmax(scores, dim=-1)
    return attention @ v, attention
