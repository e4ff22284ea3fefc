"""Keeps weights in a ParameterDict, filled as nn.Linear fills its own, and multiplies by hand.

score: 100
"""


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.matrices, self.shifts = nn.ParameterDict(), nn.ParameterDict()
        for name, size in {"query": key_dim, "key": key_dim, "value": output_dim}.items():
            layer = nn.Linear(input_dim, size)
            self.matrices[name] = layer.weight
            self.shifts[name] = layer.bias

    def forward(self, x):
        q, k, v = (
            torch.einsum("nli,oi->nlo", x, self.matrices[name]) + self.shifts[name]
            for name in ("query", "key", "value")
        )
        return attention(q, k, v)[0]


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.weights = nn.ParameterList()
        self.biases = nn.ParameterList()
        for sizes in ((x_input_dim, key_dim), (y_input_dim, key_dim), (y_input_dim, output_dim)):
            layer = nn.Linear(*sizes)
            self.weights.append(layer.weight)
            self.biases.append(layer.bias)

    def forward(self, x, y):
        made = [
            nn.functional.linear(one, weight, bias)
            for one, weight, bias in zip((x, y, y), self.weights, self.biases)
        ]
        output, _ = attention(*made)
        return output
