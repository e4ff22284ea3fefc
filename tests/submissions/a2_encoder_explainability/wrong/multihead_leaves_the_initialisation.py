"""Lets the layers start as they do by default, and refuses nothing.

score: 97
multihead_attention: wrong 12
"""


# %% multihead_attention
class MultiheadAttention(nn.Module):
    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)
        self.o_proj = nn.Linear(embed_dim, embed_dim)

    def forward(self, x, mask=None, return_attention=False):
        batch, length, _ = x.shape
        qkv = self.qkv_proj(x).reshape(batch, length, self.num_heads, -1)
        q, k, v = qkv.transpose(1, 2).chunk(3, dim=-1)
        values, attention = scaled_dot_product(q, k, v, mask)
        output = self.o_proj(values.transpose(1, 2).reshape(batch, length, -1))
        return (output, attention) if return_attention else output
