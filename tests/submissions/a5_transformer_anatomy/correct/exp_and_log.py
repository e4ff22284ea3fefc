"""Computes frequencies with exp and log, drops with the functional form, compares positions.

score: 95
"""


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        self.p = dropout
        frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        angle = torch.arange(max_len)[:, None] * frequency
        waves = torch.stack([angle.sin(), angle.cos()], dim=-1)
        self.register_buffer("pe", waves.reshape(1, max_len, d_model))

    def forward(self, x):
        summed = x + self.pe.narrow(1, 0, x.size(1))
        return nn.functional.dropout(summed, self.p, training=self.training)


# %% feed_forward
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.p = dropout

    def forward(self, x):
        z = self.linear1(x)
        z = z * 0.5 * (1 + torch.erf(z / math.sqrt(2)))
        return self.linear2(nn.functional.dropout(z, self.p, self.training))


# %% look_ahead_mask
def create_look_ahead_mask(size):
    place = torch.arange(size)
    return (place[None, :] <= place[:, None]).reshape(1, 1, size, size)


# %% greedy_tokens
def greedy_tokens(logits):
    best, ids = logits.max(dim=2, keepdim=True)
    exponentials = (logits - best).exp()
    return exponentials / exponentials.sum(2, keepdim=True), ids.squeeze(2)
