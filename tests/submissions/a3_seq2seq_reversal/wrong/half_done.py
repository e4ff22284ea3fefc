"""Stops in the middle: the attention works, the blocks are as they were released.

score: 40
encoder_block: unanswered 0
decoder_block: unanswered 0
transformer: unanswered 0
train_step: unanswered 0
greedy_decode: unanswered 0
empty: true
ablation: unanswered 0
cross_attention: unanswered 0
prediction: unanswered 0
"""


# %% batching
def pad_sequences(sequences, pad_id=0):
    longest = max(len(sequence) for sequence in sequences)
    return torch.tensor([row + [pad_id] * (longest - len(row)) for row in sequences])


def shift_right(targets, bos_id):
    begin = torch.full_like(targets[:, :1], bos_id)
    return torch.cat([begin, targets[:, :-1]], dim=1)


PAD_ID = 0
BOS_ID, EOS_ID = 1, 2


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * frequency)
        pe[0, :, 1::2] = torch.cos(position * frequency)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[:, : x.shape[1]]


# %% masks
def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(ids, pad_id=0):
    return (ids != pad_id)[:, None, None, :]


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    attention = torch.softmax(scores, dim=-1)
    if mask is not None:
        attention = attention.masked_fill(~mask, 0)
    return attention @ v, attention


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, x_q, x_k, x_v, mask=None):
        def heads(x):
            return x.view(x.size(0), x.size(1), self.num_heads, -1).transpose(1, 2)

        q, k, v = heads(self.query(x_q)), heads(self.key(x_k)), heads(self.value(x_v))
        mixed, attention = scaled_dot_product_attention(q, k, v, mask)
        return self.output(mixed.transpose(1, 2).flatten(2)), attention
