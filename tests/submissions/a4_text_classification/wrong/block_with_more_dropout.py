"""Drops numbers after the MLP as well, and forgets the mask.

score: 87.5
transformer_block: wrong 7.5
"""


# %% transformer_block
class TransformerBlock(nn.Module):
    """Self-attention and a small network at each position, each added to its input and normalised.

    embed_dim: size of the vectors, a multiple of num_heads.
    """

    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.attention = SelfAttention(embed_dim, num_heads)
        self.norm1 = nn.LayerNorm(embed_dim)
        self.mlp = nn.Sequential(
            nn.Linear(embed_dim, 2 * embed_dim), nn.ReLU(), nn.Linear(2 * embed_dim, embed_dim)
        )
        self.norm2 = nn.LayerNorm(embed_dim)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x, padding_mask=None):
        """x: (B, L, embed_dim), padding_mask: (B, L), True at real tokens -> (B, L, embed_dim)."""
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.dropout(self.mlp(x)))
