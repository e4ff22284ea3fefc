"""Has a cell that raises while it defines the class.

score: 85
cross_attention: error 0
"""


# %% cross_attention
class CrossAttention(nn.Module):
    layers = [nn.Linear(512, size) for size in sizes]
