"""Rolls the plain maps out, without the identity and with whole rows divided.

score: 90
attention_rollout: wrong 0
"""


# %% attention_rollout
def attention_rollout(attention_maps):
    result = attention_maps[0].mean(dim=1)
    result = result / result.sum(dim=-1, keepdim=True)
    for attention in attention_maps[1:]:
        layer = attention.mean(dim=1)
        result = layer / layer.sum(dim=-1, keepdim=True) @ result
    return result
