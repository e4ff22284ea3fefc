"""Modules whose own `train` and `eval` return nothing, and a layer that torch has compiled.

score: 100
"""


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = torch.jit.script(nn.Linear(input_dim, key_dim))
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)
        self.calls_of_train = 0

    def train(self, mode=True):
        super().train(mode)
        self.calls_of_train += 1

    def eval(self):
        self.train(False)

    def forward(self, x):
        output, _ = attention(self.query(x), self.key(x), self.value(x))
        return output


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(x_input_dim, key_dim)
        self.key = nn.Linear(y_input_dim, key_dim)
        self.value = nn.Linear(y_input_dim, output_dim)

    def train(self, mode=True):
        super().train(mode)

    def forward(self, x, y):
        output, _ = attention(self.query(x), self.key(y), self.value(y))
        return output
