"""Returns vectors and maps with their axes in another order than asked for.

score: 84
patchify: wrong 2
attention_distance: wrong 0
"""


# %% patchify
def patchify(image, patch_size):
    height, width, channels = image.shape
    strips = image.reshape(
        height // patch_size, patch_size, width // patch_size, patch_size, channels
    )
    return strips.permute(2, 0, 1, 3, 4)


def unpatchify(patches):
    columns, rows, high, wide, channels = patches.shape
    return patches.permute(1, 2, 0, 3, 4).reshape(rows * high, columns * wide, channels)


# %% attention_distance
def attention_distance(attentions, patch_size, grid):
    place = torch.cartesian_prod(torch.arange(grid[0]), torch.arange(grid[1]))
    middles = patch_size * place.to(attentions[0])
    apart = torch.cdist(middles, middles)
    layers = []
    for attention in attentions:
        weights = attention[:, :, 1:, 1:] / attention[:, :, 1:, 1:].sum(-1, keepdim=True)
        layers.append((weights * apart).sum(-1).mean(dim=(0, 2)))
    return torch.stack(layers, dim=1)
