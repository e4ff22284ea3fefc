"""Returns the ids and no probabilities.

score: 93
greedy_tokens: wrong 0
"""


# %% greedy_tokens
def greedy_tokens(logits):
    return logits.argmax(dim=-1)
