"""Warns on stderr and prints in cells and in every call.

score: 100
"""

# %% at the start
import sys
import warnings

print("hello from the first cell", file=sys.stderr)


# %% scaled_dot_product
def scaled_dot_product(q, k, v, mask=None):
    warnings.warn("attention was called")
    scores = q.matmul(k.mT) / math.sqrt(k.shape[-1])
    if mask is not None:
        scores.masked_fill_(mask == 0, float("-inf"))
    attention = F.softmax(scores, dim=-1)
    return attention.matmul(v), attention


# %% after check_scaled_dot_product
for number in range(500):
    print("line", number, "of a long output that nobody reads")


# %% attention_rollout
def attention_rollout(attention_maps):
    print("rolling out", len(attention_maps), "maps")
    tables = [0.5 * a.mean(dim=1) + 0.5 * torch.eye(a.shape[-1]).to(a) for a in attention_maps]
    tables = [F.normalize(table, p=1, dim=-1) for table in tables]
    result = tables[-1]
    for table in reversed(tables[:-1]):
        result = result @ table
    print("done", result.shape, file=sys.stderr)
    return result


# %% attention_gradient
def attention_gradient(model, x, position):
    model = model.eval()
    maps, logits = model.get_attention_maps(x, None, True, True)
    print("logits", logits.shape)
    score = torch.amax(logits, dim=-1)[:, position].sum()
    relevance = torch.diag_embed(torch.ones_like(x[..., 0]))
    for i, attention in enumerate(maps):
        (gradient,) = torch.autograd.grad(score, attention, retain_graph=True)
        layer = torch.where(gradient > 0, gradient, 0) * attention
        relevance = relevance + layer.mean(dim=1).bmm(relevance)
    return relevance.select(1, position)
