"""Gives the cosine the exponent of its own column, 2i+1.

score: 93
positional_encoder: wrong 8
"""


# %% positional_encoder
class PositionalEncoder(nn.Module):
    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        position = torch.arange(max_seq_len).unsqueeze(1)
        column = torch.arange(d_model)
        angle = position / 10000 ** (column / d_model)
        pe = torch.zeros(1, max_seq_len, d_model)
        pe[0, :, 0::2] = torch.sin(angle[:, 0::2])
        pe[0, :, 1::2] = torch.cos(angle[:, 1::2])
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x * math.sqrt(x.shape[-1]) + self.pe[:, : x.shape[1]]
