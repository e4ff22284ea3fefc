"""Cuts the projection in one go and draws the weights in a loop over parameters.

score: 100
"""


# %% multihead_attention
class MultiheadAttention(nn.Module):
    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        head_dim, rest = divmod(embed_dim, num_heads)
        if rest:
            raise ValueError(f"cannot cut {embed_dim} into {num_heads}")
        self.shape = (num_heads, 3, head_dim)
        self.qkv_proj = nn.Linear(input_dim, embed_dim * 3)
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        with torch.no_grad():
            for p in self.parameters():
                p.zero_() if p.dim() == 1 else nn.init.xavier_uniform_(p)

    def forward(self, x, mask=None, return_attention=False):
        q, k, v = self.qkv_proj(x).unflatten(-1, self.shape).permute(3, 0, 2, 1, 4)
        vals, att = scaled_dot_product(q, k, v, mask)
        out = self.o_proj(vals.transpose(1, 2).flatten(2))
        return (out, att) if return_attention else out
