"""Writes a linear layer of parameters, uses it in every module, and builds heads on one base.

score: 100
"""


# %% after attention
class Dense(nn.Module):
    def __init__(self, size_in, size_out):
        super().__init__()
        bound = 1 / math.sqrt(size_in)
        self.weight = nn.Parameter(torch.empty(size_out, size_in).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(size_out))

    def forward(self, x):
        return nn.functional.linear(x, self.weight, self.bias)


class Attender(nn.Module):
    def __init__(self, asking_dim, answering_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.ask = Dense(asking_dim, key_dim)
        self.answer = nn.ModuleList(
            [Dense(answering_dim, key_dim), Dense(answering_dim, output_dim)]
        )

    def forward(self, x, y=None):
        return attention(self.ask(x), *(layer(x if y is None else y) for layer in self.answer))[0]


# %% self_attention
class SelfAttention(Attender):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__(input_dim, input_dim, key_dim, output_dim)


# %% cross_attention
class CrossAttention(Attender):
    pass


# %% multi_headed_attention
class Heads(nn.ModuleList):
    def forward(self, x):
        return torch.concatenate([head(x) for head in self], dim=-1)


class MultiHeadedAttention(nn.Sequential):
    def __init__(self, attn_modules, final_output_dim):
        size = sum(head.output_dim for head in attn_modules)
        super().__init__(Heads(attn_modules), Dense(size, final_output_dim))


# %% masked_attention
class MaskedSelfAttention(SelfAttention):
    def forward(self, x):
        q, (k, v) = self.ask(x), (layer(x) for layer in self.answer)
        mask = nn.Transformer.generate_square_subsequent_mask(
            x.shape[1], device=x.device, dtype=x.dtype
        )
        return torch.softmax(q @ k.transpose(1, 2) / math.sqrt(k.shape[2]) + mask, dim=2) @ v
