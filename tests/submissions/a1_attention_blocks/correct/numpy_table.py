"""Computes the encoding with numpy, once, and takes its columns for the plot with a mask.

score: 100
"""

# %% positional_encoder
import numpy as np


class PositionalEncoder(nn.Module):
    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        places = np.arange(max_seq_len)[:, np.newaxis]
        pairs = np.arange(d_model) // 2 * 2
        angles = places / np.power(10000.0, pairs / d_model)
        table = np.where(np.arange(d_model) % 2 == 0, np.sin(angles), np.cos(angles))
        self.register_buffer("pe", torch.tensor(table[np.newaxis], dtype=torch.get_default_dtype()))
        self.scale = float(np.sqrt(d_model))

    def forward(self, x):
        return torch.add(self.pe.narrow(1, 0, x.size(1)), x, alpha=self.scale)


# %% positional_encoder_plot
encoder = PositionalEncoder(64, 32)
wanted = torch.zeros(64, dtype=torch.bool)
wanted[[0, 1, 6, 15]] = True
plot_pe(encoder.pe.squeeze(0)[:, wanted], (1, 2, 7, 16))
