"""Forgets to divide the scores by the square root of d_k; the later modules use it.

score: 85
attention: wrong 15
"""


# %% attention
def attention(q, k, v):
    att_values = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
    return att_values @ v, att_values
