"""Ends the Python process when the model is loaded.

score: 92
load_model: crash 0
"""

# %% load_model
import os


def load_model(model_name, labels):
    os._exit(0)
