"""Normalises the input of each part, as many later models do.

score: 85
encoder_block: wrong 0
"""


# %% encoder_block
class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))

    def forward(self, x, mask=None):
        h = self.norm1(x)
        x = x + self.attention(h, h, h, mask)[0]
        return x + self.ff(self.norm2(x))
