"""Sets weights on padding to zero after the softmax.

score: 88
dot_product_attention: wrong 8
"""


# %% dot_product_attention
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, q, k, v, padding_mask=None):
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
        if padding_mask is not None:
            weights = weights.masked_fill(~padding_mask[:, None, None], 0)
        return self.dropout(weights) @ v
