"""Writes every sum as a loop over sequences, queries and keys.

score: 100
"""


# %% positional_encoder
class PositionalEncoder(nn.Module):
    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        pe = torch.zeros(1, max_seq_len, d_model)
        for pos in range(max_seq_len):
            for i in range(d_model // 2):
                angle = pos / 10000 ** (2 * i / d_model)
                pe[0, pos, 2 * i] = math.sin(angle)
                pe[0, pos, 2 * i + 1] = math.cos(angle)
        self.register_buffer("pe", pe)
        self.d_model = d_model

    def forward(self, x):
        rows = [x[:, pos] * math.sqrt(self.d_model) + self.pe[:, pos] for pos in range(x.shape[1])]
        return torch.stack(rows, dim=1)


# %% positional_encoder_plot
encoder = PositionalEncoder(64, 32)
columns = []
for number in (1, 2, 7, 16):
    columns.append(encoder.pe[0, :, number - 1])
plot_pe(torch.stack(columns, dim=1), (1, 2, 7, 16))


# %% attention
def attention(q, k, v):
    outputs, all_weights = [], []
    for n in range(q.shape[0]):
        for query in q[n]:
            scores = torch.stack([query.dot(key) for key in k[n]]) / q.shape[-1] ** 0.5
            exponentials = (scores - scores.max()).exp()
            weights = exponentials / exponentials.sum()
            outputs.append(sum(weight * value for weight, value in zip(weights, v[n], strict=True)))
            all_weights.append(weights)
    shape = q.shape[:2]
    return (
        torch.stack(outputs).reshape(*shape, -1),
        torch.stack(all_weights).reshape(*shape, -1),
    )


# %% multi_headed_attention
class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.attn_modules = nn.ModuleList()
        size = 0
        for attn_module in attn_modules:
            self.attn_modules.append(attn_module)
            size += attn_module.output_dim
        self.linear = nn.Linear(size, final_output_dim)

    def forward(self, x):
        outputs = []
        for attn_module in self.attn_modules:
            outputs.append(attn_module(x))
        return self.linear(torch.cat(outputs, dim=2))


# %% masked_attention
class MaskedSelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.q = nn.Linear(input_dim, key_dim)
        self.k = nn.Linear(input_dim, key_dim)
        self.v = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        rows = []
        for last in range(x.shape[1]):
            seen = slice(0, last + 1)
            rows.append(attention(q[:, last : last + 1], k[:, seen], v[:, seen])[0])
        return torch.cat(rows, dim=1)
