"""Returns a named tuple, annotates types, and takes arguments by keyword.

score: 100
"""

# %% attention
from typing import NamedTuple


class Attended(NamedTuple):
    output: torch.Tensor
    att_values: torch.Tensor


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> Attended:
    att_values = torch.softmax(
        input=torch.einsum("nqd, nkd -> nqk", q, k).div(k.shape[2] ** 0.5), dim=2
    )
    return Attended(output=torch.einsum("nqk, nkv -> nqv", att_values, v), att_values=att_values)


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim: int, key_dim: int, output_dim: int) -> None:
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(in_features=input_dim, out_features=key_dim)
        self.key = nn.Linear(in_features=input_dim, out_features=key_dim)
        self.value = nn.Linear(in_features=input_dim, out_features=output_dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return attention(q=self.query(x), k=self.key(x), v=self.value(x)).output
