"""Expects tensors of three dimensions, without heads.

score: 80
dot_product_attention: error 0
"""


# %% dot_product_attention
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, q, k, v, padding_mask=None):
        batch, length, size = q.shape
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(size)
        if padding_mask is not None:
            scores = scores.masked_fill(~padding_mask[:, None], -math.inf)
        return torch.bmm(self.dropout(torch.softmax(scores, dim=-1)), v)
