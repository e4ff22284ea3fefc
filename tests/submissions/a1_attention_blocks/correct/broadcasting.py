"""Multiplies by broadcasting and summing, and fills results in slice by slice.

score: 100
"""


# %% positional_encoder
class PositionalEncoder(nn.Module):
    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        column = torch.arange(d_model)
        pair = torch.div(column, 2, rounding_mode="floor")
        angles = torch.arange(max_seq_len)[:, None] * 10000.0 ** (-2 * pair[None] / d_model)
        odd = column % 2 == 1
        self.register_buffer("pe", torch.where(odd, angles.cos(), angles.sin())[None])

    def forward(self, x):
        out = self.pe[:, : x.shape[1]].repeat(x.shape[0], 1, 1)
        return torch.add(out, x, alpha=x.shape[2] ** 0.5)


# %% positional_encoder_plot
encoder = PositionalEncoder(max_seq_len=32, d_model=64)
chosen = torch.tensor([1, 2, 7, 16])
plot_pe(torch.gather(encoder.pe[0], 1, (chosen - 1).repeat(32, 1)), chosen)


# %% attention
def attention(q, k, v):
    scores = (q.unsqueeze(2) * k.unsqueeze(1)).sum(dim=3).div(math.sqrt(k.shape[2]))
    raised = torch.exp(scores - scores.max(dim=2, keepdim=True).values)
    att_values = raised / raised.sum(dim=2, keepdim=True)
    output = (att_values.unsqueeze(3) * v.unsqueeze(1)).sum(dim=2)
    return output, att_values


# %% multi_headed_attention
class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.attn = nn.ModuleList([*attn_modules])
        self.width = 0
        for head in self.attn:
            self.width += head.output_dim
        self.final = nn.Linear(in_features=self.width, out_features=final_output_dim)

    def forward(self, x):
        together = x.new_empty(x.shape[0], x.shape[1], self.width)
        start = 0
        for head in self.attn:
            together[:, :, start : start + head.output_dim] = head(x)
            start += head.output_dim
        return self.final(together)


# %% masked_attention
class MaskedSelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = (q[:, :, None] * k[:, None]).sum(-1) / math.sqrt(k.shape[-1])
        scores = scores + torch.full_like(scores[0], -math.inf).triu(1)
        raised = torch.exp(scores - scores.amax(-1, keepdim=True))
        weights = raised / raised.sum(-1, keepdim=True)
        return (weights[..., None] * v[:, None]).sum(2)
