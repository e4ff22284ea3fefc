"""Is right in ways that nobody expects, in every answer.

score: 100
"""


# %% positional_encoder
class PositionalEncoder(nn.Module):
    """Adds to every vector of a sequence a mark of its position."""

    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        omega = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
        t = torch.arange(max_seq_len, dtype=torch.float64)
        hand = torch.polar(
            torch.ones(max_seq_len, d_model // 2, dtype=torch.float64), torch.outer(t, omega)
        )
        table = torch.view_as_real(hand).flip(-1).flatten(1)  # (cos, sin) -> (sin, cos)
        self.register_buffer("pe", table.to(torch.get_default_dtype()).unsqueeze(0))

    def forward(self, x):
        """x: (N, L, d_model) -> (N, L, d_model)."""
        return torch.add(self.pe[:, : x.size(1)], x, alpha=x.size(2) ** 0.5)


# %% positional_encoder_plot
# an encoder, the numbers of the dimensions, their columns, and a call of plot_pe
dims = torch.tensor([1, 2, 7, 16])
pick = nn.functional.one_hot(dims - 1, num_classes=64).float()
plot_pe(torch.einsum("npd,cd->pc", PositionalEncoder(64, 32).pe, pick), dims.tolist())


# %% attention
def attention(q, k, v):
    """Mixes the values, weighted by how well their keys match each query."""

    def one(queries, keys, values):
        shares = torch.softmax(queries @ keys.t() / keys.shape[1] ** 0.5, dim=1)
        return shares @ values, shares

    return torch.func.vmap(one)(q, k, v)


# %% self_attention
class SelfAttention(nn.Module):
    """Every position of a sequence looks at every position of the same sequence."""

    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        for letter, size in zip("qkv", (key_dim, key_dim, output_dim)):
            self.add_module("layer_" + letter, nn.Linear(input_dim, size))

    def forward(self, x):
        """x: (N, L, input_dim) -> (N, L, output_dim)."""
        outputs = []
        for sequence in x.split(1):
            triple = [layer(sequence) for _, layer in self.named_children()]
            outputs.append(attention(*triple)[0])
        return torch.cat(outputs, dim=0)


# %% cross_attention
class CrossAttention(nn.Module):
    """Every position of one sequence looks at every position of another."""

    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        sizes = {
            "q": (x_input_dim, key_dim),
            "k": (y_input_dim, key_dim),
            "v": (y_input_dim, output_dim),
        }
        self.makers = nn.ModuleDict({name: nn.Linear(*pair) for name, pair in sizes.items()})

    def forward(self, x, y):
        """x: (N, L_x, x_input_dim), y: (N, L_y, y_input_dim) -> (N, L_x, output_dim)."""
        source = dict(q=x, k=y, v=y)
        return attention(**{name: make(source[name]) for name, make in self.makers.items()})[0]


# %% multi_headed_attention
from functools import reduce
from operator import attrgetter


class MultiHeadedAttention(nn.Module):
    """Several attention modules look at the same sequence, a linear layer mixes them."""

    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(attn_modules)
        self.stir = nn.Linear(sum(map(attrgetter("output_dim"), self.heads)), final_output_dim)

    def forward(self, x):
        """x: (N, L, D) -> (N, L, final_output_dim)."""
        return self.stir(
            reduce(
                lambda left, head: torch.cat((left, head(x)), -1), self.heads[1:], self.heads[0](x)
            )
        )


# %% masked_attention
class MaskedSelfAttention(nn.Module):
    """Every position of a sequence looks at itself and at the positions before it."""

    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        """x: (N, L, input_dim) -> (N, L, output_dim)."""
        q, k, v = self.query(x), self.key(x), self.value(x)
        return torch.cat(
            [attention(q[:, m : m + 1], k[:, : m + 1], v[:, : m + 1])[0] for m in range(x.size(1))],
            dim=1,
        )
