"""Sets gradients to zero after each step only, and scales scores by the whole size.

score: 89.25
attention_weights: wrong 0
overfit_one_batch: wrong 4.25
"""


# %% overfit_one_batch
def overfit_one_batch(model, batch, optimizer, steps):
    mode = model.training
    model.eval()
    losses = []
    for _ in range(steps):
        log_probs = model(batch["input_ids"], batch["attention_mask"])
        loss = nn.functional.nll_loss(log_probs, batch["labels"])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    model.train(mode)
    return losses


# %% attention_weights
def attention_weights(layer, x, num_heads, padding_mask=None):
    q, k = (
        part(x).unflatten(2, (num_heads, -1)).transpose(1, 2)
        for part in (layer.to_queries, layer.to_keys)
    )
    scores = q @ k.mT / math.sqrt(x.size(-1))
    if padding_mask is not None:
        scores = scores.masked_fill(~padding_mask[:, None, None], -torch.inf)
    return scores.softmax(-1)
