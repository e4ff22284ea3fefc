"""Never comes back from patchify.

score: 92
patchify: timeout 0
"""


# %% patchify
def patchify(image, patch_size):
    while True:
        pass


def unpatchify(patches):
    rows, columns, high, wide, channels = patches.shape
    return patches.transpose(1, 2).reshape(rows * high, columns * wide, channels)
