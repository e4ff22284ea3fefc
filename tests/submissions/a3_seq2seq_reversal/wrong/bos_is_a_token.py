"""Takes the first free ids for BOS and EOS without looking where the tokens begin.

score: 94.5
batching: wrong 4.5
"""


# %% batching
def pad_sequences(sequences, pad_id=0):
    longest = max(len(sequence) for sequence in sequences)
    return torch.tensor([row + [pad_id] * (longest - len(row)) for row in sequences])


def shift_right(targets, bos_id):
    begin = torch.full_like(targets[:, :1], bos_id)
    return torch.cat([begin, targets[:, :-1]], dim=1)


PAD_ID = 0
BOS_ID, EOS_ID = 3, 4
