"""Writes the training step and leaves the evaluation for later.

score: 94.25
training_step: error 4.25
"""


# %% training_step
def train_step(model, x, y, optimizer):
    model.train()
    logits = model(F.one_hot(x, model.input_dim).float())
    loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), (logits.argmax(dim=-1) == y).float().mean().item()


def eval_step(model, x, y):
    raise NotImplementedError()
