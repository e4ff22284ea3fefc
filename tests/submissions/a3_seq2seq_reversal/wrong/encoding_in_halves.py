"""Puts the sines into the left half of the vector and the cosines into the right one.

score: 92.25
positional_encoding: wrong 2.25
"""


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000) / d_model))
        angle = position * frequency
        self.register_buffer("pe", torch.cat([angle.sin(), angle.cos()], dim=1).unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, : x.shape[1]]
