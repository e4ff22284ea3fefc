"""One layer holds the queries, keys and values of each head side by side, head after head.

score: 95
"""


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.out = nn.Linear(d_model, d_model)
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.num_heads = num_heads

    def forward(self, x_q, x_k, x_v, mask=None):
        parts = []
        for which, x in enumerate((x_q, x_k, x_v)):
            heads = self.qkv(x).view(*x.shape[:2], self.num_heads, -1).transpose(1, 2)
            parts.append(heads.chunk(3, dim=-1)[which])
        mixed, weights = scaled_dot_product_attention(*parts, mask)
        return self.out(mixed.transpose(1, 2).reshape(x_q.shape)), weights
