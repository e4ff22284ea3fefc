"""Takes the maps under no_grad, so that there is nothing to differentiate.

score: 90
attention_gradient: error 0
"""


# %% attention_gradient
def attention_gradient(model, x, position):
    model.eval()
    with torch.no_grad():
        maps, logits = model.get_attention_maps(x, return_outputs=True)
    slopes = torch.autograd.grad(logits[:, position].amax(dim=-1).sum(), maps)
    relevance = torch.eye(x.shape[1]).to(x)
    for attention, slope in zip(maps, slopes):
        relevance = relevance + (slope * attention).relu().mean(dim=1) @ relevance
    return relevance[:, position]
