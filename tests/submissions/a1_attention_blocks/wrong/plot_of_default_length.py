"""Leaves out max_seq_len, so that 80 positions are plotted.

score: 95
positional_encoder_plot: wrong 0
"""

# %% positional_encoder_plot
encoder = PositionalEncoder(64)
hidden_dims = [1, 2, 7, 16]
plot_pe(encoder.pe[0][:, [dim - 1 for dim in hidden_dims]], hidden_dims)
