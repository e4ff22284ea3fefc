"""Gives each head small layers of its own.

score: 95
"""


# %% multi_head_attention
class Head(nn.Module):
    def __init__(self, d_model, d_head):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d_model, d_head) for _ in range(3))

    def forward(self, x_q, x_k, x_v, mask):
        return scaled_dot_product_attention(self.q(x_q), self.k(x_k), self.v(x_v), mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.heads = nn.ModuleList(Head(d_model, d_model // num_heads) for _ in range(num_heads))
        self.mix = nn.Linear(d_model, d_model)

    def forward(self, x_q, x_k, x_v, mask=None):
        masks = [None] * len(self.heads)
        if mask is not None:
            whole = mask.expand(len(x_q), len(self.heads), x_q.shape[1], x_k.shape[1])
            masks = whole.unbind(dim=1)
        pairs = [head(x_q, x_k, x_v, own) for head, own in zip(self.heads, masks, strict=True)]
        outputs, tables = zip(*pairs, strict=True)
        return self.mix(torch.cat(outputs, dim=-1)), torch.stack(tables, dim=1)
