"""Says every product with einsum, and masks with where.

score: 100
"""


# %% scaled_dot_product
def scaled_dot_product(q, k, v, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", q, k) * k.size(-1) ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    attention = scores.softmax(-1)
    return torch.einsum("...qk,...kd->...qd", attention, v), attention


# %% multihead_attention
class MultiheadAttention(nn.Module):
    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim} numbers for {num_heads} heads?")
        self.heads, self.size = num_heads, embed_dim // num_heads
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        nn.init.xavier_uniform_(self.qkv_proj.weight)
        self.qkv_proj.bias.data.fill_(0)
        nn.init.xavier_uniform_(self.o_proj.weight)
        self.o_proj.bias.data.fill_(0)

    def forward(self, x, mask=None, return_attention=False):
        parts = self.qkv_proj(x).unflatten(-1, (self.heads, 3, self.size))
        q, k, v = (parts[..., i, :].movedim(1, 2) for i in range(3))
        values, attention = scaled_dot_product(q, k, v, mask=mask)
        output = self.o_proj(torch.einsum("bhld->blhd", values).reshape(*x.shape[:2], -1))
        if return_attention:
            return output, attention
        return output


# %% attention_rollout
def attention_rollout(attention_maps):
    length = attention_maps[0].shape[-1]
    rollout = None
    for attention in attention_maps:
        layer = attention.mean(1) + torch.eye(length, device=attention.device)
        layer = layer / torch.einsum("bij->bi", layer).unsqueeze(-1)
        rollout = layer if rollout is None else torch.einsum("bij,bjk->bik", layer, rollout)
    return rollout
