"""Computes in double precision inside and returns what came in; makes the encoding term by term.

score: 100
"""


# %% positional_encoder
class PositionalEncoder(nn.Module):
    def __init__(self, d_model: int, max_seq_len: int = 80) -> None:
        super().__init__()

        def entry(pos, column):
            wave = math.cos if column % 2 else math.sin
            return wave(pos * math.exp(-math.log(10_000) * (column - column % 2) / d_model))

        rows = [[entry(pos, column) for column in range(d_model)] for pos in range(max_seq_len)]
        self.register_buffer("pe", torch.tensor(rows).unsqueeze(0), persistent=False)
        self.register_buffer("places", torch.arange(max_seq_len), persistent=False)

    def forward(self, x):
        marks = nn.functional.embedding(self.places[: x.shape[1]], self.pe.squeeze(0))
        return (x.double() * math.sqrt(x.shape[-1])).to(x.dtype) + marks


# %% attention
def attention(q, k, v):
    dtype = v.dtype
    q, k, v = q.to(torch.float64), k.to(torch.float64), v.to(torch.float64)
    att_values = torch.matmul(q, torch.swapaxes(k, 1, 2)).mul(k.shape[-1] ** -0.5).softmax(-1)
    return torch.matmul(att_values, v).to(dtype), att_values.to(dtype)


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.three = nn.ModuleList(
            nn.Linear(input_dim, size) for size in (key_dim, key_dim, output_dim)
        )

    def forward(self, x):
        return attention(*(layer(x) for layer in self.three))[0]


# %% multi_headed_attention
class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(attn_modules)
        self.sizes = [head.output_dim for head in attn_modules]
        self.mix = nn.Linear(sum(self.sizes), final_output_dim)

    def forward(self, x):
        # a slice of the one layer for each head gives the same sum as the concatenation
        slices = self.mix.weight.split(self.sizes, dim=1)
        return self.mix.bias + sum(head(x) @ part.T for head, part in zip(self.heads, slices))


# %% masked_attention
class MaskedSelfAttention(SelfAttention):
    def forward(self, x):
        q, k, v = (layer(x) for layer in self.three)
        seen = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()
        return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
