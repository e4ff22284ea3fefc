"""Adds a very large negative number to hidden scores, and writes the softmax out.

score: 100
"""


# %% after helpers
def my_softmax(scores):
    weights = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return weights / weights.sum(dim=-1, keepdim=True)


# %% scaled_dot_product
def scaled_dot_product(q, k, v, mask=None):
    d_k = q.size()[-1]
    scores = torch.matmul(q, k.swapaxes(-1, -2)) / d_k**0.5
    if mask is not None:
        scores = scores + torch.zeros_like(scores).masked_fill(mask.logical_not(), -9e15)
    attention = my_softmax(scores)
    return torch.matmul(attention, v), attention


# %% attention_rollout
def attention_rollout(attention_maps):
    from functools import reduce

    def augmented(attention):
        table = attention.mean(dim=1).clone()
        table.diagonal(dim1=1, dim2=2).add_(1)
        return table / table.sum(dim=2)[:, :, None]

    return reduce(lambda below, layer: layer @ below, map(augmented, attention_maps))
