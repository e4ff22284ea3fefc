"""Is right in other ways that nobody expects, in every answer.

score: 100
"""


# %% positional_encoder
class PositionalEncoder(nn.Module):
    """Adds to every vector of a sequence a mark of its position."""

    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        self.register_buffer(
            "pe",
            torch.tensor(
                [
                    [
                        [
                            (math.sin, math.cos)[j % 2](p / 10000 ** ((j - j % 2) / d_model))
                            for j in range(d_model)
                        ]
                        for p in range(max_seq_len)
                    ]
                ]
            ),
        )

    def forward(self, x):
        """x: (N, L, d_model) -> (N, L, d_model)."""
        root = math.sqrt(self.pe.shape[-1])
        return torch.stack([x[:, t] * root + self.pe[0, t] for t in range(x.shape[1])], dim=1)


# %% positional_encoder_plot
# an encoder, the numbers of the dimensions, their columns, and a call of plot_pe
columns = list(zip(*PositionalEncoder(64, max_seq_len=32).pe[0].tolist()))
chosen = {dim: columns[dim - 1] for dim in (1, 2, 7, 16)}
plot_pe(torch.tensor(list(zip(*chosen.values()))), list(chosen))


# %% attention
def attention(q, k, v):
    """Mixes the values, weighted by how well their keys match each query."""

    scale = q.shape[-1] ** -0.5
    peak, total, mixed, scores = None, None, None, []
    for n in range(k.shape[1]):
        s = (q * scale * k[:, n, None]).sum(-1, keepdim=True)
        scores.append(s)
        if peak is None:
            peak, total, mixed = s, torch.ones_like(s), v[:, n, None].expand(-1, q.shape[1], -1)
            continue
        higher = torch.maximum(peak, s)
        old, new = (peak - higher).exp(), (s - higher).exp()
        total = total * old + new
        mixed = mixed * old + new * v[:, n, None]
        peak = higher
    return mixed / total, (torch.cat(scores, dim=-1) - peak).exp() / total


# %% self_attention
class SelfAttention(nn.Module):
    """Every position of a sequence looks at every position of the same sequence."""

    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim

        def layers(sizes):
            return [nn.Linear(input_dim, sizes[0]), *layers(sizes[1:])] if sizes else []

        self.makers = nn.ModuleList(layers((key_dim, key_dim, output_dim)))

    def forward(self, x):
        """x: (N, L, input_dim) -> (N, L, output_dim)."""
        mixed, *_ = attention(*map(lambda make: make(x), self.makers))
        return mixed


# %% cross_attention
class CrossAttention(nn.Module):
    """Every position of one sequence looks at every position of another."""

    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.a = nn.Linear(x_input_dim, key_dim)
        self.b = nn.Linear(y_input_dim, key_dim)
        self.c = nn.Linear(y_input_dim, output_dim)

    def forward(self, x, y):
        """x: (N, L_x, x_input_dim), y: (N, L_y, y_input_dim) -> (N, L_x, output_dim)."""
        asks, keys, says = self.a(x), self.b(y), self.c(y)
        s = torch.einsum("nik,njk->jni", asks, keys) * keys.size(-1) ** -0.5  # y's positions first
        shares = (s - s.logsumexp(dim=0, keepdim=True)).exp()
        return sum(share[..., None] * says[:, j, None] for j, share in enumerate(shares))


# %% multi_headed_attention
class MultiHeadedAttention(nn.Module):
    """Several attention modules look at the same sequence, a linear layer mixes them."""

    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(attn_modules)
        self.ends = [0]
        for head in attn_modules:
            self.ends.append(self.ends[-1] + head.output_dim)
        self.mix = nn.Linear(self.ends[-1], final_output_dim)

    def forward(self, x):
        """x: (N, L, D) -> (N, L, final_output_dim)."""
        outputs = [head(x) for head in self.heads]
        side_by_side = outputs[0].new_zeros(*x.shape[:-1], self.ends[-1])
        for output, start, end in zip(outputs, self.ends, self.ends[1:]):
            side_by_side[..., start:end] = output
        return self.mix(side_by_side)


# %% masked_attention
class MaskedSelfAttention(nn.Module):
    """Every position of a sequence looks at itself and at the positions before it."""

    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        """x: (N, L, input_dim) -> (N, L, output_dim)."""
        q, k, v = self.query(x) / math.sqrt(self.query.out_features), self.key(x), self.value(x)
        rows = []
        for m in range(x.shape[1]):
            peak = (q[:, m] * k[:, m]).sum(-1, keepdim=True)
            total, mixed = torch.ones_like(peak), v[:, m]
            for n in range(m):
                s = (q[:, m] * k[:, n]).sum(-1, keepdim=True)
                new_peak = torch.maximum(peak, s)
                keep, add = torch.exp(peak - new_peak), torch.exp(s - new_peak)
                total, mixed, peak = total * keep + add, mixed * keep + v[:, n] * add, new_peak
            rows.append(mixed / total)
        return torch.stack(rows, dim=1)
