"""Splits the last layer into a piece for each head and adds up, instead of concatenating.

score: 100
"""


# %% multi_headed_attention
class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(attn_modules)
        self.sizes = [head.output_dim for head in attn_modules]
        self.linear = nn.Linear(sum(self.sizes), final_output_dim)

    def forward(self, x):
        pieces = self.linear.weight.split(self.sizes, dim=1)
        found = self.linear.bias
        for head, piece in zip(self.heads, pieces):
            found = found + head(x) @ piece.T
        return found


# %% attention
def attention(q, k, v):
    root = k.shape[-1] ** 0.25
    scores = (q / root) @ (k / root).permute(0, 2, 1)
    weights = torch.exp(scores.log_softmax(dim=-1))
    return (weights.unsqueeze(-1) * v.unsqueeze(1)).sum(dim=2), weights
