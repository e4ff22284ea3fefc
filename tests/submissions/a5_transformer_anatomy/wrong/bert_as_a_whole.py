"""Lets the model do it.

score: 85
bert_embeddings: wrong 0
"""


# %% bert_embeddings
def bert_embeddings(model, input_ids):
    return model.embeddings(input_ids)
