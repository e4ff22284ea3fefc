"""Plots the right columns and labels them with numbers that count from 0.

score: 99
positional_encoder_plot: wrong 4
"""

# %% positional_encoder_plot
encoder = PositionalEncoder(64, max_seq_len=32)
columns = [0, 1, 6, 15]
plot_pe(encoder.pe[0][:, columns], columns)
