"""Folds the heads into the batch and multiplies with bmm.

score: 95
"""


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    leading = q.shape[:-2]
    q3, k3, v3 = (tensor.reshape(-1, *tensor.shape[-2:]) for tensor in (q, k, v))
    scores = torch.bmm(q3, k3.mT).div(math.sqrt(k.size(-1)))
    scores = scores.view(*leading, *scores.shape[1:])
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, float("-inf")))
    attention = nn.Softmax(dim=-1)(scores)
    if mask is not None:
        attention = torch.where(mask, attention, torch.zeros_like(attention))
    flat = attention.reshape(-1, *attention.shape[-2:])
    output = torch.bmm(flat, v3)
    return output.view(*leading, *output.shape[1:]), attention


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.to_q = nn.Linear(d_model, d_model)
        self.to_k = nn.Linear(d_model, d_model)
        self.to_v = nn.Linear(d_model, d_model)
        self.to_out = nn.Linear(d_model, d_model)

    def fold(self, x):
        n, length, d_model = x.shape
        x = x.reshape(n, length, self.num_heads, d_model // self.num_heads)
        return x.permute(0, 2, 1, 3).reshape(n * self.num_heads, length, -1)

    def forward(self, x_q, x_k, x_v, mask=None):
        n, length, d_model = x_q.shape
        q, k, v = self.fold(self.to_q(x_q)), self.fold(self.to_k(x_k)), self.fold(self.to_v(x_v))
        if mask is not None:
            mask = mask.expand(n, self.num_heads, length, x_k.shape[1])
            mask = mask.reshape(n * self.num_heads, length, x_k.shape[1])
        output, attention = scaled_dot_product_attention(q, k, v, mask)
        output = output.reshape(n, self.num_heads, length, -1).permute(0, 2, 1, 3)
        attention = attention.reshape(n, self.num_heads, length, -1)
        return self.to_out(output.reshape(n, length, d_model)), attention
