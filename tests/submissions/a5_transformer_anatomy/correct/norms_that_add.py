"""Norms of a class of their own, which take what they have to add.

score: 95
"""


# %% encoder_layer
class NormOfSum(nn.LayerNorm):
    """A LayerNorm that takes what it has to add."""

    def forward(self, x, found):
        return super().forward(torch.add(x, found))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.rate = dropout
        self.norm1, self.norm2 = NormOfSum(d_model, eps=1e-6), NormOfSum(d_model, eps=1e-6)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout=dropout)
        self.attention = MultiHeadAttention(d_model, n_heads, dropout=dropout)

    def some(self, numbers):
        return nn.functional.dropout(numbers, self.rate, self.training)

    def forward(self, x, mask=None):
        between = self.norm1(x, self.some(self.attention(x, x, x, mask)[0]))
        return self.norm2(between, self.some(self.feed_forward(between)))
