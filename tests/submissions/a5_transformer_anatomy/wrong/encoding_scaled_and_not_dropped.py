"""Scales the input as another notebook did, and forgets the dropout.

score: 89
positional_encoding: wrong 2
"""


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        self.d_model = d_model
        position = torch.arange(max_len).unsqueeze(1)
        angle = position / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(angle)
        pe[0, :, 1::2] = torch.cos(angle)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x * math.sqrt(self.d_model) + self.pe[:, : x.shape[1]]
