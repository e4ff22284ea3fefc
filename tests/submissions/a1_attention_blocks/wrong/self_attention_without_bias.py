"""Makes the three layers without their bias.

score: 98.5
self_attention: wrong 13.5
"""


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim, bias=False)
        self.key = nn.Linear(input_dim, key_dim, bias=False)
        self.value = nn.Linear(input_dim, output_dim, bias=False)

    def forward(self, x):
        return attention(self.query(x), self.key(x), self.value(x))[0]
