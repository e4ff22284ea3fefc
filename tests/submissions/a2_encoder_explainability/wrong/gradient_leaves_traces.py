"""Calls backward on the whole model, in training mode, and never tidies up.

score: 97.5
attention_gradient: wrong 7.5
"""


# %% attention_gradient
def attention_gradient(model, x, position):
    maps, logits = model.get_attention_maps(x, return_outputs=True)
    for attention in maps:
        attention.retain_grad()
    logits[:, position].amax(dim=-1).sum().backward()
    relevance = torch.eye(x.shape[1]).to(x)
    for attention in maps:
        relevance = relevance + (attention.grad * attention).relu().mean(dim=1) @ relevance
    return relevance[:, position].detach()
