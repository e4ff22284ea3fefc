"""Regroups the numbers straight into heads, and does not notice.

score: 83.25
multi_head_attention: wrong 4.25
"""


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        n, length, d_model = x.shape
        return x.view(n, self.n_heads, length, d_model // self.n_heads)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            self.split(self.W_q(query)),
            self.split(self.W_k(key)),
            self.split(self.W_v(value)),
        )
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        mixed = self.dropout(weights) @ v
        return self.W_o(mixed.transpose(1, 2).flatten(2)), weights
