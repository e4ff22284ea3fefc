"""Removes the models beside the notebook once they are loaded, and all else answers as before.

score: 95
"""

# %% after models
import shutil

shutil.rmtree("assets")
