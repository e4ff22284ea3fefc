"""Hands over a mask without an axis for the heads, and predicts two at once.

score: 94
answers_when_hidden: error 0
prediction: wrong 0
"""


# %% answers_when_hidden
def answers_when_hidden(model, x, explanation):
    model.eval()
    own = torch.eye(x.shape[1], dtype=torch.bool)
    first = explanation.masked_fill(own, -torch.inf).argmax(dim=-1)
    with torch.no_grad():
        return model(x, mask=F.one_hot(first, x.shape[1]) == 0).argmax(dim=-1)


# %% prediction
PREDICTION = ["rollout", "gradient"]
