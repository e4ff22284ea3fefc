"""Names every axis in an einsum, and normalises the exponentials by hand.

score: 95
"""


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", q, k) * q.size(-1) ** -0.5
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    # the largest score that may be seen keeps exp in range
    largest = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).amax(-1, keepdim=True)
    parts = torch.where(mask, (scores - largest.detach()).clamp(max=0).exp(), 0)
    total = parts.sum(dim=-1, keepdim=True)
    attention = parts / torch.where(total == 0, 1, total)
    return torch.einsum("...qk,...kd->...qd", attention, v), attention


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)
        self.h = num_heads

    def split(self, x):
        return torch.einsum("nlhd->nhld", x.view(*x.shape[:2], self.h, -1))

    def forward(self, x_q, x_k, x_v, mask=None):
        q, k, v = self.split(self.w_q(x_q)), self.split(self.w_k(x_k)), self.split(self.w_v(x_v))
        heads, attention = scaled_dot_product_attention(q, k, v, mask=mask)
        return self.w_o(torch.einsum("nhld->nlhd", heads).reshape(x_q.shape)), attention
