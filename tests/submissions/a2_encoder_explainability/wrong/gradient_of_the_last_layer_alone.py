"""Looks at the last layer alone, so that one layer is right and several are not.

score: 90
attention_gradient: wrong 0
"""


# %% attention_gradient
def attention_gradient(model, x, position):
    model.eval()
    maps, logits = model.get_attention_maps(x, return_outputs=True)
    (slope,) = torch.autograd.grad(logits[:, position].amax(dim=-1).sum(), maps[-1:])
    relevance = torch.eye(x.shape[1]).to(x) + (slope * maps[-1]).relu().mean(dim=1)
    return relevance[:, position]
