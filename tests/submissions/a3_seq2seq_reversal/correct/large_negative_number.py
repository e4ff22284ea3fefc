"""Hides scores by the most negative number there is, and empties rows without any key.

score: 95
"""


# %% masks
def causal_mask(length):
    place = torch.arange(length)
    return place.unsqueeze(0) <= place.unsqueeze(1)


def padding_mask(ids, pad_id=0):
    return ids.ne(pad_id).unsqueeze(1).unsqueeze(2)


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.shape[-1]
    attention = torch.matmul(q / d_k**0.5, k.transpose(-1, -2))
    if mask is not None:
        attention = attention.masked_fill(mask.logical_not(), torch.finfo(q.dtype).min)
    attention = attention.softmax(-1)
    if mask is not None:
        attention = attention * mask
    return torch.matmul(attention, v), attention


# %% batching
def pad_sequences(sequences, pad_id=0):
    rows = [torch.tensor(sequence, dtype=torch.int64) for sequence in sequences]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad_id)


def shift_right(targets, bos_id):
    shifted = targets.roll(1, dims=1)
    shifted[:, 0] = bos_id
    return shifted


PAD_ID, BOS_ID, EOS_ID = 0, 1, 2


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        divisor = torch.pow(10000.0, torch.arange(0, d_model, 2).float() / d_model)
        angle = torch.arange(max_len).float()[:, None] / divisor
        pe = torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(1, max_len, d_model)
        self.register_buffer("pe", pe, persistent=False)

    def forward(self, x):
        _, length, _ = x.shape
        return x + self.pe[0, :length]
