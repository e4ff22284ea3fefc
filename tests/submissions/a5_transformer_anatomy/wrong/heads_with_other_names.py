"""Gives the four layers names of its own, so that no weights can be filled in.

score: 93
multi_head_attention: error 14
"""


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.to_q = nn.Linear(d_model, d_model)
        self.to_k = nn.Linear(d_model, d_model)
        self.to_v = nn.Linear(d_model, d_model)
        self.to_out = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            layer(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for layer, x in ((self.to_q, query), (self.to_k, key), (self.to_v, value))
        )
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.to_out((self.dropout(weights) @ v).transpose(1, 2).flatten(2)), weights
