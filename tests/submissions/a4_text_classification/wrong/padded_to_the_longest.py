"""Pads only to the longest headline of the batch.

score: 91.75
tokenize_batch: wrong 1.75
"""


# %% tokenize_batch
def tokenize_batch(tokenizer, texts, labels, max_length=48):
    """Turns headlines into tensors of one fixed length.

    texts: N strings, labels: N class numbers
    -> {"input_ids": (N, max_length), "attention_mask": (N, max_length), "labels": (N,)}, int64
    """
    encoded = tokenizer(
        texts, padding="longest", truncation=True, max_length=max_length, return_tensors="pt"
    )
    return {
        "input_ids": encoded["input_ids"],
        "attention_mask": encoded["attention_mask"],
        "labels": torch.tensor(labels),
    }
