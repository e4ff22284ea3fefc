"""Adds the three vectors and stops there.

score: 85
bert_embeddings: wrong 0
"""


# %% bert_embeddings
def bert_embeddings(model, input_ids):
    parts = model.embeddings
    words = parts.word_embeddings(input_ids)
    places = parts.position_embeddings(torch.arange(input_ids.shape[1], device=input_ids.device))
    return words + places + parts.token_type_embeddings(torch.zeros_like(input_ids))
