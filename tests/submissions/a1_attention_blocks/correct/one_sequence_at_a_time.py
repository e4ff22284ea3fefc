"""Writes the formula for one sequence and maps it over the batch; splits one layer by hand.

score: 100
"""

# %% attention
from torch.func import vmap


def of_one_sequence(q, k, v):
    att_values = torch.softmax(q.mm(k.t()) / math.sqrt(k.shape[1]), dim=1)
    return att_values.mm(v), att_values


def attention(q, k, v):
    return vmap(of_one_sequence)(q, k, v)


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.key_dim = key_dim
        self.layer = nn.Linear(input_dim, 2 * key_dim + output_dim)

    def forward(self, x):
        weights = self.layer.weight.tensor_split([self.key_dim, 2 * self.key_dim])
        biases = self.layer.bias.tensor_split([self.key_dim, 2 * self.key_dim])
        parts = [nn.functional.linear(x, *pair) for pair in zip(weights, biases, strict=True)]
        return attention(*parts)[0]


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(x_input_dim, key_dim)
        self.key = nn.Linear(y_input_dim, key_dim)
        self.value = nn.Linear(y_input_dim, output_dim)

    def forward(self, x, y):
        # weights sum to 1, so the values' layer may come after the mixture
        mixture, _ = attention(self.query(x), self.key(y), y)
        return self.value(mixture)


# %% multi_headed_attention
class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        for number, head in enumerate(attn_modules):
            self.add_module(f"head_{number}", head)
        self.count = len(attn_modules)
        self.mix = nn.Linear(sum(m.output_dim for m in self.children()), final_output_dim)

    def forward(self, x):
        heads = [getattr(self, f"head_{number}") for number in range(self.count)]
        columns = [column for head in heads for column in head(x).unbind(-1)]
        return self.mix(torch.stack(columns, dim=-1))


# %% masked_attention
class MaskedSelfAttention(SelfAttention):
    def forward(self, x):
        prefixes = [SelfAttention.forward(self, x[:, : end + 1]) for end in range(x.shape[1])]
        return torch.stack([prefix[:, -1] for prefix in prefixes], dim=1)
