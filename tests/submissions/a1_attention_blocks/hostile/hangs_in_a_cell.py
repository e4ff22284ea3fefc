"""Waits forever in the cell of the plot.

score: 95
positional_encoder_plot: timeout 0
"""

# %% positional_encoder_plot
import time

while True:
    time.sleep(1)
