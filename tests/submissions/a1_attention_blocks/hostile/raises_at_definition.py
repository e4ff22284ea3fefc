"""Has a cell that raises while it defines the class.

score: 0
"""


# %% cross_attention
class CrossAttention(nn.Module):
    layers = [nn.Linear(512, size) for size in sizes]
