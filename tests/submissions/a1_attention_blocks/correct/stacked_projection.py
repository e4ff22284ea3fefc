"""Makes queries, keys and values by one stacked linear layer each time, and splits its output.

score: 100
"""


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.sizes = [key_dim, key_dim, output_dim]
        self.qkv = nn.Linear(input_dim, sum(self.sizes))

    def forward(self, x):
        return attention(*self.qkv(x).split(self.sizes, dim=-1))[0]


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.key_dim = key_dim
        self.kv = nn.Linear(y_input_dim, key_dim + output_dim)
        self.q = nn.Linear(x_input_dim, key_dim)

    def forward(self, x, y):
        kv = self.kv(y)
        output, att_values = attention(self.q(x), kv[..., : self.key_dim], kv[..., self.key_dim :])
        return output
