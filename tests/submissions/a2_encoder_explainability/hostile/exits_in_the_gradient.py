"""Ends the Python process when a relevance is asked for.

score: 90
attention_gradient: crash 0
"""

# %% attention_gradient
import os


def attention_gradient(model, x, position):
    os._exit(0)
