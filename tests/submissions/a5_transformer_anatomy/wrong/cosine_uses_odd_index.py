"""Puts the column's number into the exponent of the cosine.

score: 91.75
positional_encoding: wrong 4.75
"""


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        pe = torch.zeros(1, max_len, d_model)
        position = torch.arange(max_len)
        for column in range(d_model):
            wave = torch.sin if column % 2 == 0 else torch.cos
            pe[0, :, column] = wave(position / 10000 ** (column / d_model))
        self.register_buffer("pe", pe)

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.shape[1]])
