"""Makes the queries from y, and keys and values from x.

score: 85
cross_attention: wrong 0
"""


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(y_input_dim, key_dim)
        self.key = nn.Linear(x_input_dim, key_dim)
        self.value = nn.Linear(x_input_dim, output_dim)

    def forward(self, x, y):
        return attention(self.query(y), self.key(x), self.value(x))[0]
