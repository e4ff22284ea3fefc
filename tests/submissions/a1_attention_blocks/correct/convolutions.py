"""Makes every layer a convolution of width 1, which is a linear layer by another name.

score: 100
"""


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Conv1d(input_dim, key_dim, 1)
        self.key = nn.Conv1d(input_dim, key_dim, kernel_size=1)
        self.value = nn.Conv1d(input_dim, output_dim, 1)

    def forward(self, x):
        x = x.transpose(1, 2)
        return attention(
            *(layer(x).transpose(1, 2) for layer in (self.query, self.key, self.value))
        )[0]


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.layers = nn.ModuleDict(
            {
                "asks": nn.Conv1d(x_input_dim, key_dim, 1),
                "answers": nn.Conv1d(y_input_dim, key_dim, 1),
                "tells": nn.Conv1d(y_input_dim, output_dim, 1),
            }
        )

    def forward(self, x, y):
        x, y = x.mT, y.mT
        q, k, v = self.layers["asks"](x), self.layers["answers"](y), self.layers["tells"](y)
        found, _ = attention(q.mT, k.mT, v.mT)
        return found
