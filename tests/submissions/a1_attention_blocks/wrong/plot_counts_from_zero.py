"""Takes the columns 1, 2, 7 and 16 counted from 0.

score: 95
positional_encoder_plot: wrong 0
"""

# %% positional_encoder_plot
encoder = PositionalEncoder(64, max_seq_len=32)
hidden_dims = [1, 2, 7, 16]
plot_pe(encoder.pe[0][:, hidden_dims], hidden_dims)
