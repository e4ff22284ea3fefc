"""Leaves the mask out and makes floats of the labels.

score: 92.5
tokenize_batch: wrong 2.5
"""


# %% tokenize_batch
def tokenize_batch(tokenizer, texts, labels, max_length=48):
    encoded = tokenizer(
        texts, padding="max_length", truncation=True, max_length=max_length, return_tensors="pt"
    )
    return {"input_ids": encoded["input_ids"], "labels": torch.tensor(labels).float()}
