"""Joins the images along the axis of their channels.

score: 95
collate: wrong 0
"""


# %% collate
def collate_fn(batch):
    return {
        "pixel_values": torch.cat([example["pixel_values"] for example in batch]),
        "labels": torch.tensor([example["labels"] for example in batch]),
    }
