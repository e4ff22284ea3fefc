"""Differentiates a function, takes the second rank where the first is the own position.

score: 100
"""


# %% gradient_times_input
def gradient_times_input(model, x, position):
    model.eval()

    def best(inputs):
        return model(inputs)[:, position].max(dim=-1).values.sum()

    return torch.einsum("bld,bld->bl", torch.func.grad(best)(x), x)


# %% answers_when_hidden
def answers_when_hidden(model, x, explanation):
    was = model.training
    model.eval()
    order = explanation.argsort(dim=-1, descending=True)
    me = torch.arange(x.size(1)).view(1, -1)
    first = torch.where(order[..., 0] == me, order[..., 1], order[..., 0])
    allowed = torch.arange(x.size(1)).view(1, 1, -1) != first.unsqueeze(-1)
    found = model(x, mask=allowed[:, None, :, :]).detach().argmax(dim=2)
    model.train(was)
    return found


# %% prediction
names = list(EXPLANATIONS)
PREDICTION = names[-1]
