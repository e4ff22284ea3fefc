"""Makes the parts of the block in another order, without nn.Sequential, and with padding_idx.

score: 95
"""


# %% transformer_block
class TransformerBlock(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.ln_after_mlp = nn.LayerNorm(embed_dim)
        self.down = nn.Linear(2 * embed_dim, embed_dim)
        self.up = nn.Linear(embed_dim, 2 * embed_dim)
        self.ln_after_attention = nn.LayerNorm(embed_dim, eps=1e-5)
        self.att = SelfAttention(embed_dim, num_heads=num_heads, dropout=0.1)

    def forward(self, x, padding_mask=None):
        attended = self.att(x, padding_mask=padding_mask)
        y = self.ln_after_attention(attended + x)
        thought = self.down(nn.functional.relu(self.up(y)))
        return self.ln_after_mlp(thought + y)


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, embed_dim, dropout=0.1, max_len=512):
        super().__init__()
        steps = torch.exp(torch.arange(0, embed_dim, 2) * (-math.log(10000.0) / embed_dim))
        angles = torch.outer(torch.arange(max_len).float(), steps)
        pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)
        self.register_buffer("encoding", pairs.flatten(1))
        self.p = dropout

    def forward(self, x):
        summed = torch.add(x, self.encoding[None, : x.size(1), :])
        return nn.functional.dropout(summed, p=self.p, training=self.training)
