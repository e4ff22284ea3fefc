"""Follows the row of one position down through the layers, sequence by sequence.

score: 100
"""


# %% attention_gradient
def attention_gradient(model, x, position):
    model.eval()
    out = []
    for i in range(x.shape[0]):
        maps, logits = model.get_attention_maps(x[i : i + 1], return_outputs=True)
        grads = torch.autograd.grad(logits[0, position].max(), list(maps))
        row = F.one_hot(torch.tensor(position), x.shape[1]).float()
        for a, g in list(zip(maps, grads))[::-1]:
            row = row + row @ (a * g).clamp(min=0).mean(1)[0]
        out.append(row)
    return torch.stack(out)
