"""Uses the fused function and returns the output without the weights.

score: 70
attention: wrong 0
"""


# %% attention
def attention(q, k, v):
    return nn.functional.scaled_dot_product_attention(q, k, v)


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        return attention(self.query(x), self.key(x), self.value(x))


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(x_input_dim, key_dim)
        self.key = nn.Linear(y_input_dim, key_dim)
        self.value = nn.Linear(y_input_dim, output_dim)

    def forward(self, x, y):
        return attention(self.query(x), self.key(y), self.value(y))
