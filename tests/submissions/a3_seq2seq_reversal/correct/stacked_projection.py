"""Keeps queries, keys and values in one layer of three times the width.

score: 95
"""


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)
        self.num_heads = num_heads
        self.d_head = d_model // num_heads

    def part(self, x, which):
        n, length, _ = x.shape
        chunk = self.qkv(x).chunk(3, dim=-1)[which]
        return chunk.reshape(n, length, self.num_heads, self.d_head).permute(0, 2, 1, 3)

    def forward(self, x_q, x_k, x_v, mask=None):
        q, k, v = self.part(x_q, 0), self.part(x_k, 1), self.part(x_v, 2)
        mixed, weights = scaled_dot_product_attention(q, k, v, mask)
        n, _, length, _ = mixed.shape
        return self.out(mixed.permute(0, 2, 1, 3).reshape(n, length, -1)), weights
