"""Scales queries and keys before they meet, under blocks that list their layers.

score: 95
"""


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    root = q.size(-1) ** 0.25
    scores = (q / root) @ (k / root).mT
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
    return weights @ v, weights


# %% decoder_block
class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.looks = nn.ModuleList(MultiHeadAttention(d_model, num_heads) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(3))
        self.wide, self.narrow = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x, memory, self_mask=None, cross_mask=None):
        x = self.norms[0](x + self.looks[0](x, x, x, self_mask)[0])
        x = self.norms[1](x + self.looks[1](x, memory, memory, cross_mask)[0])
        return self.norms[2](x + self.narrow(torch.relu(self.wide(x))))
