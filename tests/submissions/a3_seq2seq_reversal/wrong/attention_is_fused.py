"""Lets the fused function do the work, twice: once for the output, once for the weights.

score: 94.25
scaled_dot_product_attention: wrong 9.25
"""


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    fused = nn.functional.scaled_dot_product_attention
    keys = torch.eye(k.shape[-2], dtype=k.dtype, device=k.device).expand(*k.shape[:-1], -1)
    if mask is None:
        return fused(q, k, v), fused(q, k, keys)
    some = mask.any(dim=-1, keepdim=True)
    open_mask = mask | ~some
    if open_mask.dim() > q.dim():
        open_mask = open_mask.squeeze(1)
    output, weights = fused(q, k, v, open_mask), fused(q, k, keys, open_mask)
    return output * some, weights * some
