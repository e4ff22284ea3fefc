"""Looks for the largest logit along the images.

score: 95
predict: wrong 0
"""


# %% predict
def predict(logits):
    return logits.argmax(dim=0)
