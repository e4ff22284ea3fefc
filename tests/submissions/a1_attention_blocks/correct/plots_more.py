"""Plots other dimensions as well, in the answer and in a cell further down.

score: 100
"""

# %% positional_encoder_plot
encoder = PositionalEncoder(64, max_seq_len=32)
for hidden_dims in ([1, 2, 7, 16], [3, 64]):
    plot_pe(encoder.pe[0][:, [dim - 1 for dim in hidden_dims]], hidden_dims)

# %% after check_attention
plot_pe(PositionalEncoder(8).pe[0], range(1, 9))
