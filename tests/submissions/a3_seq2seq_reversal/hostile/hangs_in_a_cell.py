"""Waits for ever in the cell of the masks.

score: 90
masks: timeout 0
"""


# %% masks
def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(ids, pad_id=0):
    return (ids != pad_id)[:, None, None, :]


while True:
    pass
