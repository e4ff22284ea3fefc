"""Swaps the two sizes of the table.

score: 92
embedding: error 0
"""


# %% embedding
def make_embedding(vocab_size, d_model):
    return nn.Embedding(d_model, vocab_size)
