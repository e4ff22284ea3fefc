"""Writes the softmax out and hides keys twice, before and after the exponential.

score: 100
"""


# %% scaled_dot_product
def scaled_dot_product(q, k, v, mask=None):
    scores = torch.matmul(q, k.mT) / k.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    scores = scores - scores.amax(-1, keepdim=True).detach()
    weights = scores.exp()
    if mask is not None:
        weights = weights * mask
    attention = weights / weights.sum(-1, keepdim=True)
    return torch.matmul(attention, v), attention
