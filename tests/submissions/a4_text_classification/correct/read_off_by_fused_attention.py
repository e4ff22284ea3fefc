"""Reads weights off torch's fused function by one-hot values; puts the mode back in a finally.

score: 95
"""


# %% overfit_one_batch
def overfit_one_batch(model, batch, optimizer, steps):
    was = model.training
    criterion = nn.CrossEntropyLoss()
    try:
        model.eval()
        found = []
        for _ in range(steps):
            optimizer.zero_grad(set_to_none=False)
            loss = criterion(model(batch["input_ids"], batch["attention_mask"]), batch["labels"])
            loss.backward()
            found += [loss.item()]
            optimizer.step()
        return found
    finally:
        model.train(was)


# %% attention_weights
def attention_weights(layer, x, num_heads, padding_mask=None):
    B, L, D = x.shape
    q = layer.to_queries(x).view(B, L, num_heads, D // num_heads).transpose(1, 2)
    k = layer.to_keys(x).view(B, L, num_heads, D // num_heads).transpose(1, 2)
    v = torch.eye(L, dtype=x.dtype, device=x.device).expand(B, num_heads, L, L)
    mask = None if padding_mask is None else padding_mask[:, None, None].expand(B, num_heads, L, L)
    return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
