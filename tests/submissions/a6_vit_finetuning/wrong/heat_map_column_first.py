"""Fills the grid column by column.

score: 94
attention_heatmap: wrong 2
"""


# %% attention_heatmap
def attention_heatmap(attentions, grid, image_size):
    weights = attentions[-1][0, :, 0, 1:]
    maps = weights.unflatten(-1, (grid[1], grid[0])).transpose(1, 2)
    return F.interpolate(maps[None], size=tuple(image_size), mode="bilinear")[0]
