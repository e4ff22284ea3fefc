"""Resizes and scales the images with numbers of its own, and forgets to normalise.

score: 92
transform: wrong 0
"""


# %% transform
def transform(batch):
    pictures = [image.convert("RGB").resize((48, 48)) for image in batch["image"]]
    pixels = torch.stack([torch.from_numpy(np.array(picture)) for picture in pictures])
    return {"pixel_values": pixels.permute(0, 3, 1, 2) / 255, "labels": batch["label"]}
