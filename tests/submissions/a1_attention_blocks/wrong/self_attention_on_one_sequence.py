"""Transposes the batch and the positions, so that positions of different sequences mix.

score: 85
self_attention: wrong 0
"""


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        x = x.transpose(0, 1)
        return attention(self.query(x), self.key(x), self.value(x))[0].transpose(0, 1)
