"""Knows the convention of nn.MultiheadAttention, where True means "hide".

score: 90
masks: wrong 0
"""


# %% masks
def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).triu(1)


def padding_mask(ids, pad_id=0):
    return (ids == pad_id)[:, None, None, :]
