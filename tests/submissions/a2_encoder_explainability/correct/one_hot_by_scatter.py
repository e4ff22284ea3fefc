"""Scatters the ones, clears gradients by hand, and returns a list.

score: 100
"""


# %% training_step
def _run(model, x, y):
    hot = torch.zeros(*x.shape, model.input_dim).scatter_(-1, x.unsqueeze(-1), 1.0)
    logits = model(hot)
    loss = F.nll_loss(F.log_softmax(logits, dim=-1).reshape(-1, logits.shape[-1]), y.reshape(-1))
    acc = (logits.argmax(-1) == y).sum() / y.numel()
    return loss, acc


def train_step(model, x, y, optimizer):
    model.train()
    for p in model.parameters():
        p.grad = None
    loss, acc = _run(model, x, y)
    loss.backward()
    optimizer.step()
    return [loss.item(), acc.item()]


@torch.no_grad()
def eval_step(model, x, y):
    model.eval()
    loss, acc = _run(model, x, y)
    return loss.item(), acc.item()
