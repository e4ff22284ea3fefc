"""Plots the right columns under wrong numbers, and wrong columns under the right ones.

score: 99
positional_encoder_plot: wrong 4
"""

# %% positional_encoder_plot
encoder = PositionalEncoder(64, max_seq_len=32)
hidden_dims = [1, 2, 7, 16]
plot_pe(encoder.pe[0][:, [dim - 1 for dim in hidden_dims]], [0, 1, 6, 15])
plot_pe(encoder.pe[0][:, hidden_dims], hidden_dims)
