"""Returns the output of multi-head attention without the weights, and unpacks nothing later.

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

    def forward(self, x_q, x_k, x_v, mask=None):
        def heads(x):
            return x.view(x.size(0), x.size(1), self.num_heads, -1).transpose(1, 2)

        q, k, v = heads(self.query(x_q)), heads(self.key(x_k)), heads(self.value(x_v))
        mixed, _ = scaled_dot_product_attention(q, k, v, mask)
        return self.output(mixed.transpose(1, 2).flatten(2))
