"""Makes the identity without dtype and device, and cuts the explanations off from the graph.

score: 100
"""


# %% attention_rollout
def attention_rollout(attention_maps):
    result = torch.eye(attention_maps[0].size(-1))
    for layer in attention_maps:
        a = layer.mean(1) + torch.eye(layer.size(-1))
        a = a / a.sum(-1, keepdim=True)
        result = a @ result
    return result


# %% attention_gradient
def attention_gradient(model, x, position):
    model.eval()
    maps, logits = model.get_attention_maps(x, return_outputs=True)
    z = logits[:, position].max(dim=-1).values.sum()
    grads = torch.autograd.grad(z, maps)
    r = torch.eye(x.shape[1]).repeat(len(x), 1, 1)
    for a, g in zip(maps, grads):
        r = r + torch.bmm(F.relu(a * g).mean(1), r)
    return r[:, position].detach()


# %% standard_attention
def standard_attention(attention_maps, layer):
    with torch.no_grad():
        out = torch.zeros(attention_maps[layer].shape[0], *attention_maps[layer].shape[2:])
        for h in range(attention_maps[layer].shape[1]):
            out += attention_maps[layer][:, h] / attention_maps[layer].shape[1]
    return out
