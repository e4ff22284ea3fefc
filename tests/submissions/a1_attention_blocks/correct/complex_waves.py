"""Makes the waves of complex numbers, and the weights by subtracting a log-sum-exp.

score: 100
"""


# %% positional_encoder
class PositionalEncoder(nn.Module):
    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        speeds = torch.logspace(0, -4, d_model // 2 + 1, dtype=torch.float64)[:-1]
        angles = torch.outer(torch.arange(max_seq_len, dtype=torch.float64), speeds)
        hands = torch.polar(torch.ones_like(angles), torch.pi / 2 - angles)
        self.register_buffer("pe", torch.view_as_real(hands).reshape(1, max_seq_len, -1).float())

    def forward(self, x):
        factor = complex(0, x.size(-1)) ** 0.5
        return abs(factor) * x + self.pe.narrow(1, 0, x.size(1))


# %% positional_encoder_plot
wanted = {1: None, 2: None, 7: None, 16: None}
for number in wanted:
    wanted[number] = PositionalEncoder(64, 32).pe.unbind(-1)[number - 1].flatten()
plot_pe(torch.stack(list(wanted.values())).T, wanted.keys())


# %% attention
def attention(q, k, v):
    scores = torch.einsum("...qd, ...kd -> ...qk", q / q.size(-1) ** 0.25, k / k.size(-1) ** 0.25)
    logs = scores - torch.logsumexp(scores, dim=-1, keepdim=True)
    return torch.einsum("...qk, ...kd -> ...qd", logs.exp(), v), logs.exp()


# %% masked_attention
class MaskedSelfAttention(SelfAttention):
    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.mT / q.size(-1) ** 0.5
        allowed = torch.ones_like(scores).tril()
        logs = scores + allowed.log()
        return (logs - logs.logsumexp(-1, keepdim=True)).exp() @ v


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        output, att_values = attention(q=self.query(x), k=self.key(x), v=self.value(x))
        return output
