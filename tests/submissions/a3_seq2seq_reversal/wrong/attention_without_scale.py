"""Forgets the square root of d_k in the function that everything else rests on.

score: 89.75
scaled_dot_product_attention: wrong 4.75
"""


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    attention = torch.softmax(scores, dim=-1)
    if mask is not None:
        attention = attention.masked_fill(~mask, 0)
    return attention @ v, attention
