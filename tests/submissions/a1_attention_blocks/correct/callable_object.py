"""Makes `attention` an object that is called, keeps masks in buffers, and names its pair.

score: 100
"""

# %% attention
from collections import namedtuple

Attended = namedtuple("Attended", ["output", "att_values"])


class Attention(nn.Module):
    def forward(self, q, k, v, mask=None):
        scores = torch.matmul(q, k.transpose(-1, -2)).div(math.sqrt(q.shape[-1]))
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
        att_values = nn.Softmax(dim=-1)(scores)
        return Attended(output=torch.matmul(att_values, v), att_values=att_values)


attention = Attention()


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query_layer = nn.Linear(input_dim, key_dim)
        self.key_layer = nn.Linear(input_dim, key_dim)
        self.value_layer = nn.Linear(input_dim, output_dim)
        self.attend = attention

    def projected(self, x):
        return self.query_layer(x), self.key_layer(x), self.value_layer(x)

    def forward(self, x):
        return self.attend(*self.projected(x)).output


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.asks = nn.Sequential(nn.Linear(x_input_dim, key_dim), nn.Identity())
        self.answers = nn.ParameterDict()
        self.found_by = nn.Linear(y_input_dim, key_dim)
        self.says = nn.Sequential(nn.Linear(y_input_dim, output_dim), nn.Dropout(p=0.0))

    def forward(self, x, y):
        return attention(self.asks(x), self.found_by(y), self.says(y)).output


# %% masked_attention
class MaskedSelfAttention(SelfAttention):
    def __init__(self, input_dim, key_dim, output_dim, longest=512):
        super().__init__(input_dim, key_dim, output_dim)
        mask = torch.tril(torch.ones(longest, longest, dtype=torch.bool))
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, x):
        length = x.shape[1]
        return self.attend(*self.projected(x), mask=self.mask[:length, :length]).output
