"""Leaves images in the mode that they have.

score: 98.8
transform: error 6.8
"""


# %% transform
def transform(batch):
    inputs = processor(batch["image"], return_tensors="pt")
    return {"pixel_values": inputs["pixel_values"], "labels": batch["label"]}
