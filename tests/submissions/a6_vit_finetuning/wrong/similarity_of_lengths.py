"""Takes dot products for similarities.

score: 95
position_similarity: wrong 0
"""


# %% position_similarity
def position_similarity(position_embeddings):
    places = position_embeddings[0, 1:]
    return places @ places.T
