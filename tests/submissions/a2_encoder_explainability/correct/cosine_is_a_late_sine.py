"""Makes the cosines as sines of an angle that is a quarter turn ahead, in float64.

score: 100
"""


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000):
        super().__init__()
        i = torch.arange(d_model)
        freq = torch.exp(-math.log(10000.0) * (i // 2 * 2) / d_model)
        angles = torch.arange(max_len).double()[:, None] * freq.double()
        angles = angles + (i % 2) * math.pi / 2
        self.register_buffer("pe", angles.sin().float()[None], persistent=False)

    def forward(self, x):
        return torch.add(x, self.pe[:, : x.size(1)])
