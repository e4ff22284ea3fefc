"""Takes the softmax over the queries, but writes the formula out again in the later modules.

score: 70
attention: wrong 0
"""


# %% attention
def attention(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    att_values = torch.softmax(scores, dim=1)
    return att_values @ v, att_values


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(1, 2) / math.sqrt(self.key.out_features)
        return torch.softmax(scores, dim=-1) @ self.value(x)


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(x_input_dim, key_dim)
        self.key = nn.Linear(y_input_dim, key_dim)
        self.value = nn.Linear(y_input_dim, output_dim)

    def forward(self, x, y):
        scores = self.query(x) @ self.key(y).transpose(1, 2) / math.sqrt(self.key.out_features)
        return torch.softmax(scores, dim=-1) @ self.value(y)
