"""Gets the table right, and drops nothing.

score: 94.5
positional_encoding: wrong 4.5
"""


# %% positional_encoding
class PositionalEncoding(nn.Module):
    """Adds to every vector of a sequence a mark of its position, then drops some numbers out.

    embed_dim: size of the vectors, even. max_len: length of the longest sequence.
    """

    def __init__(self, embed_dim, dropout=0.1, max_len=512):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)  # (max_len, 1)
        angle = position / 10000 ** (torch.arange(0, embed_dim, 2) / embed_dim)
        pe = torch.zeros(max_len, embed_dim)
        pe[:, 0::2] = torch.sin(angle)
        pe[:, 1::2] = torch.cos(angle)
        self.register_buffer("pe", pe)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        """x: (B, L, embed_dim) -> (B, L, embed_dim)."""
        return x + self.pe[: x.shape[1]]
