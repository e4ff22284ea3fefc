"""Reshapes without changing the order of axes, there and back.

score: 94
patchify: wrong 2
"""


# %% patchify
def patchify(image, patch_size):
    height, width, channels = image.shape
    return image.reshape(
        height // patch_size, width // patch_size, patch_size, patch_size, channels
    )


def unpatchify(patches):
    rows, columns, high, wide, channels = patches.shape
    return patches.reshape(rows * high, columns * wide, channels)
