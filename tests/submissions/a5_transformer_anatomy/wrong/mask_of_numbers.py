"""Returns ones and zeros instead of truth values.

score: 94.5
look_ahead_mask: wrong 1.5
"""


# %% look_ahead_mask
def create_look_ahead_mask(size):
    return torch.tril(torch.ones(1, 1, size, size))
