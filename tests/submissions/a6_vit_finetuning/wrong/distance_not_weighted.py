"""Takes the mean of all distances, whatever the heads look at.

score: 90
attention_distance: wrong 0
"""


# %% attention_distance
def attention_distance(attentions, patch_size, grid):
    place = torch.cartesian_prod(torch.arange(grid[0]), torch.arange(grid[1])).float()
    mean = torch.cdist(place, place).mean() * patch_size
    heads = attentions[0].shape[1]
    return mean.repeat(len(attentions), heads)
