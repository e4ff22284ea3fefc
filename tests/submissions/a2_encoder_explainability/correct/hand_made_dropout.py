"""Writes dropout itself, which draws other numbers than torch's.

score: 100
"""


# %% encoder_block
class Drop(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        return x * (torch.rand_like(x) >= self.p) / (1 - self.p)


class EncoderBlock(nn.Module):
    def __init__(self, input_dim, num_heads, dim_feedforward, dropout=0.0):
        super().__init__()
        self.att = MultiheadAttention(input_dim, input_dim, num_heads)
        self.l1, self.l2 = (
            nn.Linear(input_dim, dim_feedforward),
            nn.Linear(dim_feedforward, input_dim),
        )
        self.n1, self.n2 = nn.LayerNorm(input_dim), nn.LayerNorm(input_dim)
        self.drop = Drop(dropout)

    def forward(self, x, mask=None, return_attention=False):
        a, w = self.att(x, mask=mask, return_attention=True)
        x = self.n1(x + self.drop(a))
        x = self.n2(x + self.drop(self.l2(self.drop(self.l1(x)).relu())))
        return (x, w) if return_attention else x
