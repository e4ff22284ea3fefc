"""Writes the formula out again and forgets the scale.

score: 92.5
cross_attention: wrong 7.5
"""


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(x_input_dim, key_dim)
        self.key = nn.Linear(y_input_dim, key_dim)
        self.value = nn.Linear(y_input_dim, output_dim)

    def forward(self, x, y):
        scores = self.query(x) @ self.key(y).transpose(-2, -1)
        return torch.softmax(scores, dim=-1) @ self.value(y)
