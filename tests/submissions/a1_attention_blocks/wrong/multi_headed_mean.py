"""Takes the mean of the heads instead of putting them side by side.

score: 80
multi_headed_attention: wrong 0
"""


# %% multi_headed_attention
class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(attn_modules)
        self.mix = nn.Linear(self.heads[0].output_dim, final_output_dim)

    def forward(self, x):
        return self.mix(torch.stack([head(x) for head in self.heads]).mean(dim=0))
