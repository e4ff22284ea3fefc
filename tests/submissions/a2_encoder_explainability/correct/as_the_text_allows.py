"""Hands out the tensors that it keeps, and writes the formula anew in the heads.

score: 100
"""


# %% multihead_attention
class MultiheadAttention(nn.Module):
    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim} is no multiple of num_heads {num_heads}")
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        for layer in (self.qkv_proj, self.o_proj):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x, mask=None, return_attention=False):
        B, L, _ = x.shape
        qkv = self.qkv_proj(x).reshape(B, L, self.num_heads, -1).transpose(1, 2)
        q, k, v = qkv.chunk(3, dim=-1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attention = scores.softmax(dim=-1)
        output = self.o_proj((attention @ v).transpose(1, 2).reshape(B, L, -1))
        return (output, attention) if return_attention else output


# %% reverse_dataset
class ReverseDataset(data.Dataset):
    def __init__(self, num_categories, seq_len, size):
        self.pairs = [
            (sequence, sequence.flip(0))
            for sequence in torch.randint(num_categories, (size, seq_len))
        ]

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        return self.pairs[index]
