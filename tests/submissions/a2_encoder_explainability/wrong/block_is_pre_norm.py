"""Normalises before attention and before the MLP, as later models do.

score: 90
encoder_block: wrong 0
"""


# %% encoder_block
class EncoderBlock(nn.Module):
    def __init__(self, input_dim, num_heads, dim_feedforward, dropout=0.0):
        super().__init__()
        self.attention = MultiheadAttention(input_dim, input_dim, num_heads)
        self.mlp = nn.Sequential(
            nn.Linear(input_dim, dim_feedforward),
            nn.Dropout(dropout),
            nn.ReLU(),
            nn.Linear(dim_feedforward, input_dim),
        )
        self.norm1, self.norm2 = nn.LayerNorm(input_dim), nn.LayerNorm(input_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None, return_attention=False):
        attended, attention = self.attention(self.norm1(x), mask, return_attention=True)
        x = x + self.dropout(attended)
        x = x + self.dropout(self.mlp(self.norm2(x)))
        return (x, attention) if return_attention else x
