"""Compares each class with each other one, and takes the one that none is larger than.

score: 100
"""


# %% predict
def predict(logits):
    larger = (logits.unsqueeze(1) > logits.unsqueeze(2)).sum(dim=2)
    return larger.eq(0).to(torch.uint8).argmax(dim=1)
