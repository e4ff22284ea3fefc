"""Applies the softmax before the cross-entropy, in both functions.

score: 90
training_step: wrong 0
"""


# %% training_step
def train_step(model, x, y, optimizer):
    model.train()
    probabilities = model(F.one_hot(x, model.input_dim).float()).softmax(dim=-1)
    loss = F.cross_entropy(probabilities.flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), (probabilities.argmax(dim=-1) == y).float().mean().item()


@torch.no_grad()
def eval_step(model, x, y):
    model.eval()
    probabilities = model(F.one_hot(x, model.input_dim).float()).softmax(dim=-1)
    loss = F.cross_entropy(probabilities.flatten(0, 1), y.flatten())
    return loss.item(), (probabilities.argmax(dim=-1) == y).float().mean().item()
