"""Multiplies the layers entry by entry.

score: 90
attention_rollout: wrong 0
"""


# %% attention_rollout
def attention_rollout(attention_maps):
    eye = torch.eye(attention_maps[0].shape[-1]).to(attention_maps[0])
    result = torch.ones_like(eye)
    for attention in attention_maps:
        layer = 0.5 * attention.mean(dim=1) + 0.5 * eye
        result = result * (layer / layer.sum(dim=-1, keepdim=True))
    return result
