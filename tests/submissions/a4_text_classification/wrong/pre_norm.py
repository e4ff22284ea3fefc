"""Normalises before each part instead of after each sum.

score: 80
transformer_block: wrong 0
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

    def forward(self, x, padding_mask=None):
        """x: (B, L, embed_dim), padding_mask: (B, L), True at real tokens -> (B, L, embed_dim)."""
        x = x + self.attention(self.norm1(x), padding_mask)
        return x + self.mlp(self.norm2(x))
