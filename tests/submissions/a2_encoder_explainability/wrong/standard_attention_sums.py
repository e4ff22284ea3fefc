"""Adds the heads up instead of taking their mean.

score: 95
standard_attention: wrong 0
"""


# %% standard_attention
def standard_attention(attention_maps, layer):
    return attention_maps[layer].sum(dim=1)
