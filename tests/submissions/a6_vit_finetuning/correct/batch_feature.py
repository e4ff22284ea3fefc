"""Adds the labels to what the processor returns, and keeps batches in that kind of dictionary.

score: 100
"""

# %% transform
from transformers import BatchFeature


def transform(batch):
    inputs = processor([x.convert("RGB") for x in batch["image"]], return_tensors="pt")
    inputs["labels"] = batch["label"]
    return inputs


# %% collate
def collate_fn(batch):
    columns = {key: [example[key] for example in batch] for key in ("pixel_values", "labels")}
    columns["pixel_values"] = torch.stack(columns["pixel_values"])
    return BatchFeature(columns, tensor_type="pt")
