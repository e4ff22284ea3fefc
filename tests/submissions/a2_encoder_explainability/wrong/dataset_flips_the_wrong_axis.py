"""Asks a single sequence to flip its second axis, which it does not have.

score: 95
reverse_dataset: error 0
"""


# %% reverse_dataset
class ReverseDataset(data.Dataset):
    def __init__(self, num_categories, seq_len, size):
        super().__init__()
        self.sequences = torch.randint(num_categories, (size, seq_len))

    def __len__(self):
        return len(self.sequences)

    def __getitem__(self, index):
        return self.sequences[index], self.sequences[index].flip(1)
