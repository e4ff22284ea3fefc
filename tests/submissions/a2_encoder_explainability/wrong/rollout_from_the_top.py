"""Multiplies the layers from the last to the first, and leaves the rows as they are.

score: 90
attention_rollout: wrong 0
"""


# %% attention_rollout
def attention_rollout(attention_maps):
    eye = torch.eye(attention_maps[0].shape[-1]).to(attention_maps[0])
    result = eye
    for attention in attention_maps:
        result = result @ (0.5 * attention.mean(dim=1) + 0.5 * eye)
    return result
