"""Says every product with einsum, and computes the frequencies with exp and log.

score: 100
"""


# %% positional_encoder
class PositionalEncoder(nn.Module):
    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        frequencies = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        angles = torch.einsum("p,i->pi", torch.arange(max_seq_len).float(), frequencies)
        pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)
        self.register_buffer("pe", pairs.flatten(1)[None], persistent=False)

    def forward(self, x):
        n, length, d_model = x.shape
        return x * d_model**0.5 + self.pe[:, :length, :]


# %% attention
def attention(q, k, v):
    scores = torch.einsum("nqd,nkd->nqk", q, k) * q.size(-1) ** -0.5
    att_values = scores.softmax(dim=2)
    return torch.einsum("nqk,nkd->nqd", att_values, v), att_values


# %% masked_attention
class MaskedSelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.to_q = nn.Linear(input_dim, key_dim)
        self.to_k = nn.Linear(input_dim, key_dim)
        self.to_v = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        q, k, v = self.to_q(x), self.to_k(x), self.to_v(x)
        scores = torch.einsum("nqd,nkd->nqk", q, k) / math.sqrt(q.size(-1))
        place = torch.arange(x.size(1), device=x.device)
        scores = torch.where(place[:, None] >= place[None, :], scores, -torch.inf)
        return torch.einsum("nqk,nkd->nqd", scores.softmax(dim=-1), v)
