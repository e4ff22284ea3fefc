"""Never clears the gradients, and evaluates right.

score: 96
training_step: wrong 6
"""


# %% training_step
def train_step(model, x, y, optimizer):
    model.train()
    logits = model(F.one_hot(x, model.input_dim).float())
    loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))
    loss.backward()
    optimizer.step()
    return loss.item(), (logits.argmax(dim=-1) == y).float().mean().item()


def eval_step(model, x, y):
    model.eval()
    with torch.no_grad():
        logits = model(F.one_hot(x, model.input_dim).float())
        loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))
    return loss.item(), (logits.argmax(dim=-1) == y).float().mean().item()
