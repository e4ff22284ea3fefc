"""Uses one linear layer for queries and keys alike.

score: 85
self_attention: wrong 0
"""


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        return attention(self.query(x), self.query(x), self.value(x))[0]
