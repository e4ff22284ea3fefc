"""Takes the size of the first head for all, so that unequal heads do not fit.

score: 98
multi_headed_attention: wrong 18
"""


# %% multi_headed_attention
class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(attn_modules)
        self.mix = nn.Linear(len(self.heads) * self.heads[0].output_dim, final_output_dim)

    def forward(self, x):
        return self.mix(torch.cat([head(x) for head in self.heads], dim=-1))
