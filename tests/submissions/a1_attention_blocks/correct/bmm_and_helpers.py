"""Uses bmm and an own softmax, with helpers in cells added between the questions.

score: 100
"""

# %% at the start
import numpy as np


# %% after helpers
def angle_table(positions, size):
    exponents = np.arange(size // 2) * 2 / size
    return np.arange(positions)[:, None] / np.power(10000, exponents)[None, :]


# %% positional_encoder
class PositionalEncoder(nn.Module):
    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        table = np.zeros((1, max_seq_len, d_model))
        table[:, :, 0::2] = np.sin(angle_table(max_seq_len, d_model))
        table[:, :, 1::2] = np.cos(angle_table(max_seq_len, d_model))
        self.register_buffer("pe", torch.tensor(table, dtype=torch.float32))
        self.scale = np.sqrt(d_model).item()

    def forward(self, x):
        encoding = self.pe[:, : x.size(1)].expand_as(x)
        return x.mul(self.scale).add(encoding)


# %% positional_encoder_plot
wanted = torch.tensor([1, 2, 7, 16])
table = PositionalEncoder(64, max_seq_len=32).pe.squeeze(0)
plot_pe(table.index_select(1, wanted - 1).numpy(), wanted.tolist())


# %% after plot_pe
def my_softmax(scores):
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    return shifted.exp() / shifted.exp().sum(dim=-1, keepdim=True)


# %% attention
def attention(q, k, v):
    root = torch.sqrt(torch.tensor(q.shape[2], dtype=q.dtype))
    att_values = my_softmax(torch.bmm(q, k.permute(0, 2, 1)) / root)
    return torch.bmm(att_values, v), att_values


# %% masked_attention
class MaskedSelfAttention(SelfAttention):
    def forward(self, x):
        q, k, v = (layer(x) for layer in (self.query, self.key, self.value))
        hidden = torch.ones(x.shape[1], x.shape[1], device=x.device).triu(1) == 1
        scores = torch.bmm(q, k.mT) / math.sqrt(q.shape[-1])
        return torch.bmm(my_softmax(scores.masked_fill(hidden, -math.inf)), v)


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query, self.key = nn.Linear(input_dim, key_dim), nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        return attention(self.query(x), self.key(x), self.value(x))[0]
