"""Builds the layer with two dropouts and calls the parts in another style.

score: 95
"""


# %% feed_forward
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.middle = nn.Sequential(nn.GELU(), nn.Dropout(dropout))
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        hidden = self.linear1(x)
        hidden = self.middle(hidden)
        return self.linear2(hidden)


# %% encoder_layer
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.norm2 = nn.LayerNorm(d_model, 1e-6)
        self.norm1 = nn.LayerNorm(d_model, 1e-6)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout=dropout)
        self.attention = MultiHeadAttention(d_model, n_heads, dropout=dropout)
        self.drop1, self.drop2 = nn.Dropout(dropout), nn.Dropout(dropout)

    def forward(self, x, mask=None):
        attended = self.attention(query=x, key=x, value=x, mask=mask)[0]
        residual = torch.add(x, self.drop1(attended))
        x = self.norm1(residual)
        residual = torch.add(x, self.drop2(self.feed_forward(x)))
        return self.norm2(residual)
