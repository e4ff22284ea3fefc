"""Layers and a parameter that are left over from an attempt, which no call uses.

score: 100
"""


# %% self_attention
class SelfAttention(nn.Module):
    """Every position of a sequence looks at every position of the same sequence.

    input_dim: size of x. key_dim: size of queries and keys. output_dim: size of values.
    """

    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.attempt = nn.Linear(input_dim, input_dim)
        self.output_dim = output_dim
        # three linear layers, in the order query, key, value
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        """x: (N, L, input_dim) -> (N, L, output_dim)."""
        output, _ = attention(self.query(x), self.key(x), self.value(x))
        return output


# %% cross_attention
class CrossAttention(nn.Module):
    """Every position of one sequence looks at every position of another.

    x_input_dim, y_input_dim: sizes of x and y. key_dim: size of queries and keys.
    output_dim: size of values.
    """

    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
        self.output_dim = output_dim
        # three linear layers, in the order query, key, value
        self.query = nn.Linear(x_input_dim, key_dim)
        self.key = nn.Linear(y_input_dim, key_dim)
        self.value = nn.Linear(y_input_dim, output_dim)

    def forward(self, x, y):
        """x: (N, L_x, x_input_dim), y: (N, L_y, y_input_dim) -> (N, L_x, output_dim)."""
        output, _ = attention(self.query(x), self.key(y), self.value(y))
        return output


# %% multi_headed_attention
class MultiHeadedAttention(nn.Module):
    """Several attention modules look at the same sequence, a linear layer mixes them.

    attn_modules: a list of modules with the attribute output_dim.
    final_output_dim: size of the output.
    """

    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.attempts = nn.ModuleList(
            [nn.Linear(final_output_dim, final_output_dim) for _ in range(2)]
        )
        self.heads = nn.ModuleList(attn_modules)
        heads_dim = sum(head.output_dim for head in self.heads)
        self.mix = nn.Linear(heads_dim, final_output_dim)

    def forward(self, x):
        """x: (N, L, D) -> (N, L, final_output_dim)."""
        together = torch.cat([head(x) for head in self.heads], dim=-1)  # (N, L, heads_dim)
        return self.mix(together)


# %% masked_attention
class MaskedSelfAttention(nn.Module):
    """Every position of a sequence looks at itself and at the positions before it.

    input_dim: size of x. key_dim: size of queries and keys. output_dim: size of values.
    """

    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.norm_before = nn.LayerNorm(input_dim)
        self.output_dim = output_dim
        # three linear layers, in the order query, key, value
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        """x: (N, L, input_dim) -> (N, L, output_dim)."""
        q, k, v = self.query(x), self.key(x), self.value(x)
        length = x.shape[1]
        may_attend = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (N, L, L)
        scores = scores.masked_fill(~may_attend, -math.inf)
        return torch.softmax(scores, dim=-1) @ v
