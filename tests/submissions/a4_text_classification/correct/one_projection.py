"""Projects once with the three weights below each other, and turns pointers for the encoding.

score: 95
"""


# %% headline_dataset
class HeadlineDataset(Dataset):
    def __init__(self, columns):
        self.names, self.parts = zip(*columns.items())

    def __len__(self):
        return min(map(len, self.parts))

    def __getitem__(self, index):
        return dict(zip(self.names, (part.select(0, index) for part in self.parts)))


# %% self_attention
class SelfAttention(nn.Module):
    def __init__(self, embed_dim, num_heads=8, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        for name in ("to_values", "to_queries", "to_keys"):
            self.add_module(name, nn.Linear(embed_dim, embed_dim, bias=False))
        self.unify_heads = nn.Linear(embed_dim, embed_dim)
        self.attend = DotProductAttention(dropout)

    def forward(self, x, padding_mask=None):
        b, length, size = x.shape
        stacked = torch.cat([self.to_queries.weight, self.to_keys.weight, self.to_values.weight])
        q, k, v = (x @ stacked.mT).view(b, length, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        return self.unify_heads(self.attend(q, k, v, padding_mask).transpose(1, 2).reshape(x.shape))


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, embed_dim, dropout=0.1, max_len=512):
        super().__init__()
        slow = torch.exp(-math.log(10000) * torch.arange(0, embed_dim, 2).double() / embed_dim)
        angle = torch.outer(torch.arange(max_len).double(), slow)
        table = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).float()
        self.register_buffer("marks", table.unsqueeze(0))
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        return self.drop(x + self.marks.narrow(1, 0, x.size(1)))
