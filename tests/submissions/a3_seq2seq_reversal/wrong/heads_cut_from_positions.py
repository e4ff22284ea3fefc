"""Reshapes straight to (N, heads, L, d_head); every shape fits.

score: 80
multi_head_attention: wrong 0
"""


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)

    def split(self, x):
        return x.view(x.shape[0], self.num_heads, x.shape[1], -1)

    def forward(self, x_q, x_k, x_v, mask=None):
        q, k, v = (
            self.split(self.query(x_q)),
            self.split(self.key(x_k)),
            self.split(self.value(x_v)),
        )
        mixed, attention = scaled_dot_product_attention(q, k, v, mask)
        return self.output(mixed.reshape(x_q.shape)), attention
