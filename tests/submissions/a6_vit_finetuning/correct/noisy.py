"""Prints and warns in every call, and keeps helpers in cells of its own.

score: 100
"""

# %% at the start
import sys
import warnings

print("hello from the first cell")
print("and hello from stderr", file=sys.stderr)


# %% after processor
def announce(what, *things):
    print(what, *(getattr(thing, "shape", thing) for thing in things))
    sys.stderr.write(f"{what} on stderr\n")


# %% transform
def transform(batch):
    announce("transform", len(batch["image"]))
    warnings.warn("images are being transformed")
    pictures = list(map(lambda image: image.convert("RGB"), batch["image"]))
    return {**processor(pictures, return_tensors="pt"), "labels": [int(x) for x in batch["label"]]}


# %% patchify
def patchify(image, patch_size):
    announce("patchify", image, patch_size)
    high, wide, _ = image.shape
    cut = image.unflatten(1, (wide // patch_size, patch_size))
    return cut.unflatten(0, (high // patch_size, patch_size)).permute(0, 2, 1, 3, 4)


def unpatchify(patches):
    announce("unpatchify", patches)
    return patches.permute(0, 2, 1, 3, 4).flatten(2, 3).flatten(0, 1)


# %% position_similarity
def position_similarity(position_embeddings):
    warnings.warn("similarities are being computed")
    vectors = position_embeddings[0, 1:]
    norms = torch.linalg.vector_norm(vectors, dim=1)
    announce("similarity", vectors, norms)
    return (vectors @ vectors.t()) / (norms[:, None] * norms[None, :])
