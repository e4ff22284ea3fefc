"""Lets lazy layers find their input sizes, and adds up products with baddbmm.

score: 100
"""


# %% attention
def attention(q, k, v):
    n, queries, size = q.shape
    nothing = q.new_zeros(n, queries, k.shape[1])
    scores = torch.baddbmm(nothing, q, k.transpose(1, 2), beta=0, alpha=1 / math.sqrt(size))
    att_values = nn.functional.softmax(scores, -1)
    return torch.baddbmm(q.new_zeros(1, 1, 1), att_values, v), att_values


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.q, self.k, self.v = map(nn.LazyLinear, (key_dim, key_dim, output_dim))

    def forward(self, x):
        return attention(self.q(x), self.k(x), self.v(x))[0]


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.q, self.k, self.v = map(nn.LazyLinear, (key_dim, key_dim, output_dim))

    def forward(self, x, y):
        return attention(self.q(x), self.k(y), self.v(y))[0]


# %% multi_headed_attention
class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleDict({f"head{n}": head for n, head in enumerate(attn_modules)})
        self.heads_in_order = nn.ModuleList(self.heads.values())
        self.last = nn.LazyLinear(final_output_dim)

    def forward(self, x):
        return self.last(torch.dstack([head(x) for head in self.heads_in_order]))


# %% masked_attention
class MaskedSelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.q, self.k, self.v = map(nn.LazyLinear, (key_dim, key_dim, output_dim))

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        hidden = x.new_full((1, x.shape[1], x.shape[1]), -torch.inf).triu(1)
        scores = torch.baddbmm(hidden, q, k.mT, alpha=q.shape[-1] ** -0.5)
        return scores.softmax(-1).bmm(v)
