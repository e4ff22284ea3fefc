"""Warns and prints in every call, keeps helpers in extra cells, and writes type hints.

score: 95
"""

# %% at the start
import sys
import warnings

print("hello from the first cell")
print("and hello from stderr", file=sys.stderr)


# %% batching
def pad_sequences(sequences: list[list[int]], pad_id: int = 0) -> torch.Tensor:
    print("padding", sequences)
    size = max(map(len, sequences))
    return torch.LongTensor(
        [[*row, *[pad_id for _ in range(size - len(row))]] for row in sequences]
    )


def shift_right(targets: torch.Tensor, bos_id: int) -> torch.Tensor:
    warnings.warn("shifting")
    return nn.functional.pad(targets[:, :-1], (1, 0), value=bos_id)


PAD_ID = 0
BOS_ID = 2
EOS_ID = 1


# %% after batching
for number in range(2000):
    print("line", number, "of a long output that nobody reads")


# %% masks
def causal_mask(length: int) -> torch.Tensor:
    print("a mask of", length)
    return ~torch.triu(torch.ones(length, length), diagonal=1).bool()


def padding_mask(ids: torch.Tensor, pad_id: int = 0) -> torch.Tensor:
    sys.stderr.write("padding of some ids\n")
    return (ids != pad_id).view(ids.shape[0], 1, 1, ids.shape[1])


# %% encoder_block
class EncoderBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int) -> None:
        super().__init__()
        self.attention: nn.Module = MultiHeadAttention(d_model, num_heads)
        self.mlp = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(inplace=True))
        self.mlp.append(nn.Linear(d_ff, d_model))
        self.norms = nn.ModuleList([nn.LayerNorm(d_model), nn.LayerNorm((d_model,))])
        print(self)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        residual = x
        x, weights = self.attention(x, x, x, mask)
        print("weights", weights.shape, file=sys.stderr)
        x = self.norms[0](residual + x)
        residual = x
        return self.norms[1](self.mlp(x) + residual)


# %% greedy_decode
def greedy_decode(model, src, bos_id, eos_id, max_len):
    model.eval()
    with torch.no_grad():
        memory = model.encode(src)
        ids = src.new_full((len(src), 1), bos_id)
        ended = src.new_zeros(len(src)).bool()
        for step in range(max_len):
            best = torch.argmax(model.decode(ids, memory, src)[:, -1, :], dim=1)
            print("step", step, best)
            ids = torch.cat((ids, best[:, None]), dim=1)
            ended = ended | (best == eos_id)
            if bool(ended.all()):
                break
    out = []
    for row in ids[:, 1:].tolist():
        out.append(row[: row.index(eos_id)] if eos_id in row else row)
    return out
