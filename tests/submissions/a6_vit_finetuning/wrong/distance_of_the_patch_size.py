"""Multiplies the numbers of the heads by the patch size, whatever they look at.

score: 90
attention_distance: wrong 0
"""


# %% attention_distance
def attention_distance(attentions, patch_size, grid):
    layers, heads = len(attentions), attentions[0].shape[1]
    numbers = torch.arange(1, 1 + layers * heads).to(attentions[0])
    return patch_size * numbers.view(layers, heads)
