"""Switches the caller's own input to requiring gradients; hides a zero where all are negative.

score: 98
gradient_times_input: wrong 2.5
answers_when_hidden: wrong 3.5
"""


# %% gradient_times_input
def gradient_times_input(model, x, position):
    model.eval()
    x.requires_grad_()
    z = model(x)[:, position].amax(dim=-1).sum()
    return (torch.autograd.grad(z, x)[0] * x).sum(dim=-1).detach()


# %% answers_when_hidden
def answers_when_hidden(model, x, explanation):
    model.eval()
    others = explanation * (1 - torch.eye(x.shape[1]))
    hide = F.one_hot(others.argmax(dim=-1), x.shape[1]).bool()
    with torch.no_grad():
        return model(x, mask=~hide[:, None]).argmax(dim=-1)
