"""Fills the grid of patches to be covered column by column.

score: 94
cover: wrong 0
"""


# %% cover
def cover(pixel_values, weights, count, grid):
    rows, columns = grid
    high, wide = pixel_values.shape[2] // rows, pixel_values.shape[3] // columns
    covered = pixel_values.clone()
    for image, order in zip(covered, weights.argsort(dim=1, descending=True), strict=True):
        for patch in order[:count].tolist():
            row, column = patch % rows, patch // rows
            image[:, row * high : (row + 1) * high, column * wide : (column + 1) * wide] = 0
    return covered
