"""Learns by heart with dropout on, and cuts the heads by a view.

score: 85
attention_weights: wrong 0
overfit_one_batch: wrong 0
"""


# %% overfit_one_batch
def overfit_one_batch(model, batch, optimizer, steps):
    model.train()
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        log_probs = model(batch["input_ids"], batch["attention_mask"])
        loss = nn.functional.nll_loss(log_probs, batch["labels"])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %% attention_weights
def attention_weights(layer, x, num_heads, padding_mask=None):
    q, k = (
        part(x).reshape(len(x), num_heads, x.shape[1], -1)
        for part in (layer.to_queries, layer.to_keys)
    )
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if padding_mask is not None:
        scores = scores.masked_fill(~padding_mask[:, None, None], -torch.inf)
    return scores.softmax(-1)
