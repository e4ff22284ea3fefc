"""Compares the class token with the positions.

score: 95
position_similarity: wrong 0
"""


# %% position_similarity
def position_similarity(position_embeddings):
    places = F.normalize(position_embeddings[0], dim=-1)
    return places @ places.T
