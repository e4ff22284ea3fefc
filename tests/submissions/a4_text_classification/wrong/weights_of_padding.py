"""Takes no heed of the mask of the weights, and forgets the optimizer's step.

score: 86
attention_weights: wrong 1
overfit_one_batch: wrong 0
"""


# %% overfit_one_batch
def overfit_one_batch(model, batch, optimizer, steps):
    mode = model.training
    model.eval()
    losses = []
    for _ in range(steps):
        log_probs = model(batch["input_ids"], batch["attention_mask"])
        loss = nn.functional.nll_loss(log_probs, batch["labels"])
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
    model.train(mode)
    return losses


# %% attention_weights
def attention_weights(layer, x, num_heads, padding_mask=None):
    q, k = (
        part(x).unflatten(2, (num_heads, -1)).transpose(1, 2)
        for part in (layer.to_queries, layer.to_keys)
    )
    return (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
