"""Hides the position itself.

score: 93
look_ahead_mask: wrong 0
"""


# %% look_ahead_mask
def create_look_ahead_mask(size):
    place = torch.arange(size)
    return (place[None, :] < place[:, None])[None, None]
