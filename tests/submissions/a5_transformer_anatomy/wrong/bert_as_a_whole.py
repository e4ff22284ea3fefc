"""Lets the model do it.

score: 90.5
bert_embeddings: wrong 5.5
"""


# %% bert_embeddings
def bert_embeddings(model, input_ids):
    return model.embeddings(input_ids)
