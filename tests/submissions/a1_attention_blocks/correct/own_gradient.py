"""Writes the softmax as an autograd function with a gradient of its own.

score: 100
"""


# %% attention
class RowSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores):
        powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        weights = powers / powers.sum(dim=-1, keepdim=True)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, gradient):
        (weights,) = ctx.saved_tensors
        return weights * (gradient - (gradient * weights).sum(dim=-1, keepdim=True))


def attention(q, k, v):
    weights = RowSoftmax.apply(q @ k.mT * k.size(-1) ** -0.5)
    return torch.matmul(weights, v), weights
