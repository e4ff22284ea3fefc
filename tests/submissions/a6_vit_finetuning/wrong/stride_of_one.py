"""Slides the window on by one pixel.

score: 95
patch_projection: wrong 0
"""


# %% patch_projection
def make_projection(config):
    return nn.Conv2d(config.num_channels, config.hidden_size, kernel_size=config.patch_size)
