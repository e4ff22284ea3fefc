"""Makes self-attention a cross-attention of a sequence with itself, and the masked one a child of it.

score: 100
"""


# %% self_attention
class Looks(nn.Module):
    def __init__(self, own, other, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(own, key_dim)
        self.key = nn.Linear(other, key_dim)
        self.value = nn.Linear(other, output_dim)

    def forward(self, x, y):
        return attention(self.query(x), self.key(y), self.value(y))[0]


class SelfAttention(Looks):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__(input_dim, input_dim, key_dim, output_dim)

    def forward(self, x):
        return super().forward(x, x)


# %% cross_attention
class CrossAttention(Looks):
    pass


# %% masked_attention
class MaskedSelfAttention(SelfAttention):
    def forward(self, x):
        later = torch.ones(x.shape[1], x.shape[1], device=x.device).triu(1).bool()
        scores = self.query(x) @ self.key(x).mT / math.sqrt(self.key.out_features)
        return scores.masked_fill(later, float("-inf")).softmax(-1) @ self.value(x)
