"""Writes into the images that were handed in, and commits to nothing.

score: 98.25
cover: wrong 5.25
prediction: wrong 0
"""


# %% cover
def cover(pixel_values, weights, count, grid):
    ranks = weights.argsort(dim=1, descending=True).argsort(dim=1).reshape(-1, *grid)
    high, wide = pixel_values.shape[2] // grid[0], pixel_values.shape[3] // grid[1]
    hidden = (ranks < count).repeat_interleave(high, 1).repeat_interleave(wide, 2)
    pixel_values[hidden[:, None].expand_as(pixel_values)] = 0
    return pixel_values


# %% prediction
PREDICTION = "less than half, I think"
