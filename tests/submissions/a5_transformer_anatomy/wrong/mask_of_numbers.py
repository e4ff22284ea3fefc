"""Returns ones and zeros instead of truth values.

score: 92
look_ahead_mask: error 7
"""


# %% look_ahead_mask
def create_look_ahead_mask(size):
    return torch.tril(torch.ones(1, 1, size, size))
