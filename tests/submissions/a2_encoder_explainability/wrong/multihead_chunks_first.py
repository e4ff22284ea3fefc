"""Cuts the projection into queries, keys and values before it cuts out the heads.

score: 85
multihead_attention: wrong 0
"""


# %% multihead_attention
class MultiheadAttention(nn.Module):
    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError(f"embed_dim {embed_dim} and num_heads {num_heads} do not fit")
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        for layer in (self.qkv_proj, self.o_proj):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def heads(self, part):
        return part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x, mask=None, return_attention=False):
        q, k, v = map(self.heads, self.qkv_proj(x).chunk(3, dim=-1))
        values, attention = scaled_dot_product(q, k, v, mask)
        output = self.o_proj(values.transpose(1, 2).flatten(2))
        return (output, attention) if return_attention else output
