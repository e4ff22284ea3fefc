"""Lets the causal mask look one position ahead, and loses the last residual of the decoder.

score: 83
masks: wrong 3
decoder_block: wrong 0
"""


# %% masks
def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).tril(1)


def padding_mask(ids, pad_id=0):
    return (ids != pad_id)[:, None, None, :]


# %% decoder_block
class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)

    def forward(self, x, memory, self_mask=None, cross_mask=None):
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, memory, cross_mask)[0])
        return self.norm3(self.ff(x))
