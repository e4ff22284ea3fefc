"""Divides the scores by the square root of d_v; the modules write the right formula themselves.

score: 85
attention: wrong 15
"""


# %% attention
def attention(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(v.shape[-1])
    att_values = torch.softmax(scores, dim=-1)
    return att_values @ v, att_values


# %% after attention
def right_attention(q, k, v):
    return nn.functional.scaled_dot_product_attention(q, k, v)


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        return right_attention(self.query(x), self.key(x), self.value(x))


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(x_input_dim, key_dim)
        self.key = nn.Linear(y_input_dim, key_dim)
        self.value = nn.Linear(y_input_dim, output_dim)

    def forward(self, x, y):
        return right_attention(self.query(x), self.key(y), self.value(y))
