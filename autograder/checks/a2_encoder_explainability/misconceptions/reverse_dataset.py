"""Known wrong answers to `reverse_dataset`."""

from autograder.misconceptions import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="labels_not_flipped",
        sentence="Your label is the sequence itself, which a model could simply copy.",
        replaced={"sequence, sequence.flip(0)": "sequence, sequence"},
    ),
    Misconception(
        name="drawn_at_each_look",
        sentence=(
            "You draw a sequence whenever one is asked for, so that the same index gives another "
            "pair each time and there is no fixed validation set. Draw all of them at the start."
        ),
        code='''class ReverseDataset(data.Dataset):
    """Random digits; the label of a sequence is the sequence backwards."""

    def __init__(self, num_categories, seq_len, size):
        super().__init__()
        self.num_categories, self.seq_len, self.size = num_categories, seq_len, size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        sequence = torch.randint(self.num_categories, (self.seq_len,))
        return sequence, sequence.flip(0)
''',
    ),
    Misconception(
        name="last_digit_never_drawn",
        sentence=(
            "The largest digit never occurs: the upper end of `torch.randint` is left out already."
        ),
        replaced={"torch.randint(num_categories, ": "torch.randint(num_categories - 1, "},
    ),
    Misconception(
        name="sorted_backwards",
        sentence=(
            "Your label is the sequence in falling order of its digits. Backwards means by place."
        ),
        replaced={"sequence.flip(0)": "sequence.sort(descending=True).values"},
    ),
]
