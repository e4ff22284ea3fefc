"""Prints in cells and in every call, warns, and keeps helpers in cells of its own.

score: 95
"""

# %% at the start
import warnings

print("here we go")
warnings.warn("a warning in the first cell")


# %% after tokenize_batch
def shapes(*tensors):
    for tensor in tensors:
        print("shape", tuple(tensor.shape), "mean", tensor.detach().float().mean())
        sys.stderr.write("a line on stderr\n")


# %% dot_product_attention
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        print("dropout", dropout)
        self.layer = nn.Dropout(dropout)

    def forward(self, q, k, v, padding_mask=None):
        warnings.warn("attention was called")
        shapes(q, k, v)
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(k.shape[3])
        if padding_mask is not None:
            shapes(padding_mask)
            batch, keys = padding_mask.shape
            allowed = padding_mask.view(batch, 1, 1, keys)
            scores = torch.where(allowed, scores, torch.full_like(scores, -math.inf))
        return torch.matmul(self.layer(nn.Softmax(dim=3)(scores)), v)


# %% transformer_block
class TransformerBlock(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.a = SelfAttention(embed_dim, num_heads)
        self.n = nn.ModuleList([nn.LayerNorm(embed_dim) for _ in range(2)])
        self.m = nn.ModuleDict(
            {
                "in": nn.Linear(embed_dim, embed_dim * 2),
                "act": nn.ReLU(inplace=True),
                "out": nn.Linear(embed_dim * 2, embed_dim),
            }
        )

    def forward(self, x, padding_mask=None):
        print("x", x)
        x = self.n[0](x + self.a(x, padding_mask))
        y = x
        for part in self.m.values():
            y = part(y)
        return self.n[1](x + y)
