"""Folds the heads into the batch and multiplies with bmm; the mask is repeated for each head.

score: 95
"""


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.heads, self.size = n_heads, d_model // n_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, nn.Linear(d_model, d_model))
        self.dropout = nn.Dropout(dropout)

    def fold(self, x):
        n, length, _ = x.shape
        x = x.reshape(n, length, self.heads, self.size).permute(0, 2, 1, 3)
        return x.reshape(n * self.heads, length, self.size)

    def forward(self, query, key, value, mask=None):
        n, queries, d_model = query.shape
        keys = key.shape[1]
        q, k, v = self.fold(self.W_q(query)), self.fold(self.W_k(key)), self.fold(self.W_v(value))
        if mask is not None:
            mask = mask.expand(n, self.heads, queries, keys).reshape(-1, queries, keys)
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        mixed = torch.bmm(self.dropout(weights), v).reshape(n, self.heads, queries, self.size)
        mixed = mixed.permute(0, 2, 1, 3).reshape(n, queries, d_model)
        return self.W_o(mixed), weights.reshape(n, self.heads, queries, keys)
