"""Returns pairs and numbers where dictionaries are asked for.

score: 82
transform: wrong 0
collate: wrong 0
compute_metrics: wrong 0
"""


# %% transform
def transform(batch):
    pictures = [image.convert("RGB") for image in batch["image"]]
    return processor(pictures, return_tensors="pt")["pixel_values"], batch["label"]


# %% collate
def collate_fn(batch):
    labels = torch.tensor([example["labels"] for example in batch])
    return torch.stack([example["pixel_values"] for example in batch]), labels


# %% compute_metrics
def compute_metrics(eval_prediction):
    logits, labels = eval_prediction
    return (logits.argmax(axis=-1) == labels).mean()
