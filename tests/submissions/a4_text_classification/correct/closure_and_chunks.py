"""Hands the optimizer a closure, and weighs head by head.

score: 95
"""


# %% overfit_one_batch
def overfit_one_batch(model, batch, optimizer, steps):
    mode = model.training
    model.eval()
    losses = []
    while len(losses) < steps:

        def closure():
            optimizer.zero_grad()
            out = model(batch["input_ids"], batch["attention_mask"])
            loss = -out[torch.arange(len(out)), batch["labels"]].mean()
            loss.backward()
            return loss

        losses.append(float(optimizer.step(closure)))
    model.train(mode)
    return losses


# %% attention_weights
def attention_weights(layer, x, num_heads, padding_mask=None):
    queries, keys = layer.to_queries(x), layer.to_keys(x)
    tables = []
    for q, k in zip(queries.chunk(num_heads, -1), keys.chunk(num_heads, -1)):
        s = torch.einsum("bmd,bnd->bmn", q, k) * q.shape[-1] ** -0.5
        if padding_mask is not None:
            s = torch.where(padding_mask.unsqueeze(1), s, torch.full_like(s, float("-inf")))
        tables.append(s.softmax(2))
    return torch.stack(tables, dim=1)
