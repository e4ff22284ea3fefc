"""Handles queries in portions of two, and keeps a running maximum over the keys.

score: 100
"""


# %% attention
def attention(q, k, v):
    outputs, weights = [], []
    for part in q.split(2, dim=1):
        scores = torch.baddbmm(
            torch.zeros((), dtype=q.dtype, device=q.device),
            part,
            k.mT,
            beta=0,
            alpha=q.shape[-1] ** -0.5,
        )
        largest = scores[..., :1]
        for column in scores.split(1, dim=-1):
            largest = torch.maximum(largest, column)
        powers = torch.exp(scores - largest)
        rows = powers / powers.sum(-1, keepdim=True)
        weights.append(rows)
        outputs.append(rows @ v)
    return torch.cat(outputs, dim=1), torch.cat(weights, dim=1)


# %% multi_headed_attention
class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(attn_modules)
        self.ends = [0]
        for head in self.heads:
            self.ends.append(self.ends[-1] + head.output_dim)
        self.mix = nn.Linear(self.ends[-1], final_output_dim)

    def forward(self, x):
        together = x.new_empty(*x.shape[:2], self.ends[-1])
        for head, start, end in zip(reversed(self.heads), self.ends[-2::-1], self.ends[:0:-1]):
            together[..., start:end] = head(x)
        return self.mix(together)
