"""Moves axes about with reshape and flatten, and multiplies every pair of rows.

score: 100
"""


# %% positional_encoder
class PositionalEncoder(nn.Module):
    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        self.factor = d_model**0.5
        pos, i = torch.meshgrid(
            torch.arange(max_seq_len).float(), torch.arange(d_model // 2).float(), indexing="ij"
        )
        angle = pos * torch.exp2(-2 * i / d_model * math.log2(10000))
        waves = torch.cat([angle.sin(), angle.cos()], dim=1)  # halves, dealt out below
        waves = waves.reshape(max_seq_len, 2, d_model // 2).transpose(1, 2).flatten(1)
        self.register_buffer("pe", waves.unsqueeze(0))

    def forward(self, x):
        padded = nn.functional.pad(x, (0, 0, 0, self.pe.shape[1] - x.shape[1]))
        return (padded * self.factor + self.pe)[:, : x.shape[1]]


# %% attention
def attention(q, k, v):
    (n, queries, size), keys = q.shape, k.shape[1]
    pairs = q.repeat_interleave(keys, dim=1) * k.repeat(1, queries, 1)
    scores = pairs.sum(-1).reshape(n, queries, keys) / size**0.5
    att_values = scores.reshape(-1, keys).softmax(dim=1).reshape(n, queries, keys)
    return (v.mT @ att_values.mT).mT.contiguous(), att_values


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(x_input_dim, key_dim)
        self.key = nn.Linear(y_input_dim, key_dim)
        self.value = nn.Linear(y_input_dim, output_dim)

    def forward(self, x, y):
        flat = self.query(x.flatten(0, 1)).unflatten(0, x.shape[:2])
        others = [
            layer(y.flatten(0, 1)).unflatten(0, y.shape[:2]) for layer in (self.key, self.value)
        ]
        return attention(flat, *others)[0]
