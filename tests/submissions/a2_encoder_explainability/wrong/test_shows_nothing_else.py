"""Reads the mask the other way round: each query sees only what should have been taken away.

score: 94
answers_when_hidden: wrong 0
prediction: wrong 0
"""


# %% answers_when_hidden
def answers_when_hidden(model, x, explanation):
    model.eval()
    own = torch.eye(x.shape[1], dtype=torch.bool)
    first = explanation.masked_fill(own, -torch.inf).argmax(dim=-1)
    hide = F.one_hot(first, x.shape[1]).bool()
    with torch.no_grad():
        return model(x, mask=hide[:, None]).argmax(dim=-1)


# %% prediction
PREDICTION = 1
