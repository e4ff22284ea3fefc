"""Cuts the image right, and leaves the way back unwritten.

score: 95.6
patchify: error 3.6
"""


# %% patchify
def patchify(image, patch_size):
    height, width, channels = image.shape
    strips = image.reshape(
        height // patch_size, patch_size, width // patch_size, patch_size, channels
    )
    return strips.transpose(1, 2)


def unpatchify(patches):
    # YOUR CODE HERE
    raise NotImplementedError()
