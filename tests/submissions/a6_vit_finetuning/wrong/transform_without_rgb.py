"""Leaves images in the mode that they have.

score: 97
transform: error 7
"""


# %% transform
def transform(batch):
    inputs = processor(batch["image"], return_tensors="pt")
    return {"pixel_values": inputs["pixel_values"], "labels": batch["label"]}
