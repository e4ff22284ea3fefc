"""Makes a saliency of gradient times input, and writes the prediction in words of its own.

score: 96
gradient_times_input: wrong 0
prediction: wrong 0
"""


# %% gradient_times_input
def gradient_times_input(model, x, position):
    model.eval()
    own = x.detach().clone().requires_grad_()
    (gradient,) = torch.autograd.grad(model(own)[:, position].amax(-1).sum(), own)
    return gradient.norm(dim=-1)


# %% prediction
PREDICTION = "The first layer"
