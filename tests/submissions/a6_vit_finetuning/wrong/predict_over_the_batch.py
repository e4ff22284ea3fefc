"""Looks for the largest logit along the images.

score: 97
predict: wrong 0
"""


# %% predict
def predict(logits):
    return logits.argmax(dim=0)
