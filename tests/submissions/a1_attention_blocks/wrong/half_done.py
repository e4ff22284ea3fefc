"""Stops after the attention function and leaves the modules as they were released.

score: 45
positional_encoder_plot: unanswered 0
self_attention: unanswered 0
cross_attention: unanswered 0
multi_headed_attention: unanswered 0
masked_attention: unanswered 0
empty: true
"""


# %% positional_encoder
class PositionalEncoder(nn.Module):
    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        position = torch.arange(max_seq_len).unsqueeze(1)
        angle = position / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        pe = torch.zeros(1, max_seq_len, d_model)
        pe[0, :, 0::2] = torch.sin(angle)
        pe[0, :, 1::2] = torch.cos(angle)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x * math.sqrt(x.shape[-1]) + self.pe[:, : x.shape[1]]


# %% attention
def attention(q, k, v):
    att_values = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1)
    return att_values @ v, att_values
