"""Switches gradients off in the evaluation, and leaves dropout on.

score: 97
training_step: wrong 7
"""


# %% training_step
def both(model, x, y):
    logits = model(F.one_hot(x, model.input_dim).float())
    loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
    return loss, (logits.argmax(dim=-1) == y).float().mean().item()


def train_step(model, x, y, optimizer):
    model.train()
    loss, accuracy = both(model, x, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), accuracy


def eval_step(model, x, y):
    with torch.no_grad():
        loss, accuracy = both(model, x, y)
    return loss.item(), accuracy
