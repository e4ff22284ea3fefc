"""Warns on stderr, prints much in cells and in every call, and keeps helpers in extra cells.

A generator of one of them was left in the middle, in torch's inference mode.

score: 100
"""

# %% at the start
import sys
import warnings

print("hello from the first cell")
print("and hello from stderr", file=sys.stderr)


def batches():
    import torch

    with torch.inference_mode():
        for number in range(3):
            yield torch.full((2, 3), number)


left_in_the_middle = batches()
print("the first of three:", next(left_in_the_middle))


# %% positional_encoder
class PositionalEncoder(nn.Module):
    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        self.d_model = d_model
        self.max_seq_len = max_seq_len
        warnings.warn("the encoding is computed in __init__")
        position = torch.arange(0, max_seq_len, dtype=torch.float).view(-1, 1)
        divisor = torch.pow(10000.0, torch.arange(0, d_model, 2).float() / d_model)
        pe = torch.empty(max_seq_len, d_model)
        pe[:, ::2], pe[:, 1::2] = torch.sin(position / divisor), torch.cos(position / divisor)
        self.register_buffer("pe", pe.unsqueeze(0))
        print("the table of the encoding:", pe)

    def forward(self, x):
        print("input", x.shape, x)
        result = math.sqrt(self.d_model) * x + self.pe[0, : x.shape[1]]
        print("output", result.shape, result, file=sys.stderr)
        return result


# %% after positional_encoder
warnings.warn("a warning between two questions", RuntimeWarning)
for number in range(3000):
    print("line", number, "of a long output that nobody reads")


# %% after plot_pe
def announce(*tensors):
    for tensor in tensors:
        print("shape", tuple(tensor.shape), "mean", tensor.detach().mean())
        sys.stderr.write("another line on stderr\n")


# %% attention
def attention(q, k, v):
    warnings.warn("attention was called")
    announce(q, k, v)
    scores = q.matmul(k.transpose(1, 2)) / math.sqrt(k.shape[-1])
    att_values = nn.Softmax(dim=-1)(scores)
    announce(scores, att_values)
    return att_values.matmul(v), att_values


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.W_q = nn.Linear(input_dim, key_dim)
        self.W_k = nn.Linear(input_dim, key_dim)
        self.W_v = nn.Linear(input_dim, output_dim)
        print(self)

    def forward(self, x):
        print(x, file=sys.stderr)
        return attention(self.W_q(x), self.W_k(x), self.W_v(x))[0]
