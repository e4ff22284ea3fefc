"""Writes every product as an einsum.

score: 95
"""


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", q, k) * q.size(-1) ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(-torch.inf, device=q.device, dtype=q.dtype))
    weights = scores.softmax(-1)
    return torch.einsum("...qk,...kd->...qd", weights, v), weights


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.h = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = self.W_q(query).view(*query.shape[:2], self.h, -1)
        k = self.W_k(key).view(*key.shape[:2], self.h, -1)
        v = self.W_v(value).view(*value.shape[:2], self.h, -1)
        scores = torch.einsum("nqhd,nkhd->nhqk", q, k) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), -math.inf)
        weights = torch.softmax(scores, dim=3)
        mixed = torch.einsum("nhqk,nkhd->nqhd", self.drop(weights), v)
        return self.W_o(mixed.reshape(query.shape)), weights
