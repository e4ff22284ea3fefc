"""Explains sequence by sequence, looks for what to hide number by number, and predicts rollout.

score: 100
"""


# %% gradient_times_input
def gradient_times_input(model, x, position):
    model.eval()
    rows = []
    for sequence in x:
        leaf = torch.tensor(sequence.tolist(), requires_grad=True)
        z = model(leaf[None])[0, position].max()
        z.backward(inputs=[leaf])
        rows.append((leaf.grad * leaf.detach()).sum(-1))
    return torch.stack(rows)


# %% answers_when_hidden
def answers_when_hidden(model, x, explanation):
    model.eval()
    batch, length = x.shape[:2]
    mask = torch.ones(batch, 1, length, length, dtype=torch.bool)
    for b in range(batch):
        for j in range(length):
            others = [i for i in range(length) if i != j]
            mask[b, 0, j, max(others, key=lambda i: explanation[b, j, i].item())] = False
    with torch.no_grad():
        return model(x, mask=mask).max(-1).indices


# %% prediction
PREDICTION = "rollout"
