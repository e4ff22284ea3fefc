"""Measures more than it is asked for, and with NumPy.

score: 100
"""


# %% compute_metrics
def compute_metrics(eval_prediction):
    logits, labels = eval_prediction.predictions, eval_prediction.label_ids
    order = np.argsort(-logits, axis=1)
    return {
        "accuracy": np.mean(order[:, 0] == labels),
        "among_the_best_two": np.mean((order[:, :2] == labels[:, None]).any(axis=1)),
    }


# %% collate
def collate_fn(batch):
    return {
        "pixel_values": torch.from_numpy(np.stack([x["pixel_values"].numpy() for x in batch])),
        "labels": torch.as_tensor(np.array([x["labels"] for x in batch], dtype=np.int64)),
    }


# %% position_similarity
def position_similarity(position_embeddings):
    x = position_embeddings[:, 1:].detach().double()
    gram = torch.bmm(x, x.transpose(1, 2))[0]
    lengths = gram.diagonal().sqrt()
    return (gram / torch.outer(lengths, lengths)).to(position_embeddings.dtype)
