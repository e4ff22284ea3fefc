"""Forgets to cut off what speaks against the answer.

score: 90
attention_gradient: wrong 0
"""


# %% attention_gradient
def attention_gradient(model, x, position):
    model.eval()
    maps, logits = model.get_attention_maps(x, return_outputs=True)
    slopes = torch.autograd.grad(logits[:, position].max(dim=-1).values.sum(), maps)
    relevance = torch.eye(x.shape[1]).to(x)
    for attention, slope in zip(maps, slopes):
        relevance = relevance + (slope * attention).mean(dim=1) @ relevance
    return relevance[:, position]
