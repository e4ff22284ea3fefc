"""Writes the layer normalisation out, with the model's own weights and eps.

score: 95
"""


# %% bert_embeddings
def bert_embeddings(model, input_ids):
    parts = model.get_submodule("embeddings")
    place = torch.arange(input_ids.size(1)).to(input_ids.device).expand_as(input_ids)
    kind = input_ids * 0
    total = sum(
        table(ids)
        for table, ids in (
            (parts.token_type_embeddings, kind),
            (parts.position_embeddings, place),
            (parts.word_embeddings, input_ids),
        )
    )
    norm = parts.LayerNorm
    if not hasattr(norm, "eps"):
        return norm(total)
    centred = total - total.mean(-1, keepdim=True)
    variance = centred.square().mean(-1, keepdim=True)
    return centred / (variance + norm.eps).sqrt() * norm.weight + norm.bias
