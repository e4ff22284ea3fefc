"""Keeps the heads in a plain list, so that their parameters vanish.

score: 94
multi_headed_attention: wrong 14
"""


# %% multi_headed_attention
class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = list(attn_modules)
        self.mix = nn.Linear(sum(head.output_dim for head in self.heads), final_output_dim)

    def forward(self, x):
        return self.mix(torch.cat([head(x) for head in self.heads], dim=-1))
