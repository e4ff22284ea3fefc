"""Draws one seed and makes each sequence from it when asked.

score: 100
"""


# %% reverse_dataset
class ReverseDataset(data.Dataset):
    def __init__(self, num_categories, seq_len, size):
        self.n, self.l, self.size = num_categories, seq_len, size
        self.seed = torch.randint(2**31, ()).item()

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(self.seed + 7919 * i)
        x = torch.randint(self.n, (self.l,), generator=g)
        return x, torch.flip(x, [0])
