"""Folds the layers with reduce and lets `normalize` divide the rows.

score: 100
"""


# %% attention_rollout
def attention_rollout(attention_maps):
    from functools import reduce

    def one(a):
        a = a.mean(dim=1)
        return F.normalize(a + torch.eye(a.shape[-1]), p=1, dim=-1)

    return reduce(lambda r, a: one(a) @ r, attention_maps[1:], one(attention_maps[0]))


# %% standard_attention
def standard_attention(attention_maps, layer):
    return torch.einsum("bhij->bij", attention_maps[layer]) / attention_maps[layer].size(1)
