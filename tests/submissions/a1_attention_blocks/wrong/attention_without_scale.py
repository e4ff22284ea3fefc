"""Forgets to divide the scores by the square root of d_k; the later modules use it.

score: 73
attention: wrong 15
self_attention: wrong 9
cross_attention: wrong 9
"""


# %% attention
def attention(q, k, v):
    att_values = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
    return att_values @ v, att_values
