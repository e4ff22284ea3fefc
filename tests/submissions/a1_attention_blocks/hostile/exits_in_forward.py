"""Ends the Python process when the module is called.

score: 85
self_attention: crash 0
"""

# %% self_attention
import os


class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        os._exit(0)
