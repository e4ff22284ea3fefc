"""Answers the number of columns as the length of the dataset.

score: 93
headline_dataset: wrong 3
"""


# %% headline_dataset
class HeadlineDataset(Dataset):
    """Tokenized headlines, one at a time.

    columns: a dict of tensors that share their first dimension, N; "labels" is among them.
    """

    def __init__(self, columns):
        self.columns = columns

    def __len__(self):
        return len(self.columns)

    def __getitem__(self, index):
        """The dict of headline number `index`, with the same names as the columns."""
        return {name: column[index] for name, column in self.columns.items()}
