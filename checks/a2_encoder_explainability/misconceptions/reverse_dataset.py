"""Known wrong answers to `reverse_dataset`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="labels_not_flipped",
        sentence="Your label is the sequence itself, which a model could simply copy.",
        replaced={"sequence, sequence.flip(0)": "sequence, sequence"},
        price="mathematics",
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
        price="edge",
    ),
    Misconception(
        name="last_digit_never_drawn",
        sentence=(
            "The largest digit never occurs: the upper end of `torch.randint` is left out already."
        ),
        replaced={"torch.randint(num_categories, ": "torch.randint(num_categories - 1, "},
        price="edge",
    ),
    Misconception(
        name="sorted_backwards",
        sentence=(
            "Your label is the sequence in falling order of its digits. Backwards means by place."
        ),
        replaced={"sequence.flip(0)": "sequence.sort(descending=True).values"},
        price="mathematics",
    ),
    Misconception(
        name="seed_set_inside",
        sentence=(
            "Every data set that you make begins with the same sequences, from a seed that is set, "
            "or from a generator of its own, so that those of the test are found among those of "
            "the training. Leave the seed to whoever makes the data set, and draw as torch does."
        ),
        replaced={
            "        self.sequences =": ("        torch.manual_seed(0)\n        self.sequences ="),
        },
        price="surroundings",
    ),
    Misconception(
        name="seed_set_at_each_look",
        sentence=(
            "You draw a sequence when it is asked for, from a seed made of its index, so that "
            "all data sets hold the same sequences. Draw at the start, and leave the seed "
            "alone."
        ),
        code='''class ReverseDataset(data.Dataset):
    """Random digits; the label of a sequence is the sequence backwards."""

    def __init__(self, num_categories, seq_len, size):
        super().__init__()
        self.num_categories, self.seq_len, self.size = num_categories, seq_len, size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        torch.manual_seed(index)
        sequence = torch.randint(self.num_categories, (self.seq_len,))
        return sequence, sequence.flip(0)
''',
        price="edge",
    ),
    Misconception(
        name="uniform_numbers_rounded",
        sentence=(
            "You round uniform numbers to digits, so that the first and the last digit come half "
            "as often as each of the others. Ask how long the stretch is that is rounded to each."
        ),
        replaced={
            "torch.randint(num_categories, (size, seq_len))": (
                "(torch.rand(size, seq_len) * (num_categories - 1)).round().long()"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="digits_without_repetition",
        sentence=(
            "No digit of a short sequence comes twice. Each digit is drawn by itself, whatever the "
            "others are."
        ),
        replaced={
            "torch.randint(num_categories, (size, seq_len))": (
                "torch.rand(size, max(num_categories, seq_len)).argsort(dim=1)[:, :seq_len]"
                " % num_categories"
            )
        },
    ),
    Misconception(
        name="half_of_them_drawn",
        sentence=(
            "You draw half of the sequences and use each twice. Each pair of the data set has a "
            "sequence that was drawn for it."
        ),
        replaced={
            "torch.randint(num_categories, (size, seq_len))": (
                "torch.randint(num_categories, ((size + 1) // 2, seq_len)).repeat(2, 1)[:size]"
            )
        },
        price="edge",
    ),
    Misconception(
        name="first_sixteen_flipped",
        sentence=(
            "You flip the first 16 digits, as many as a sequence of the notebook has, and leave "
            "those after them in their places. Sequences may be longer."
        ),
        replaced={
            "sequence, sequence.flip(0)": (
                "sequence, torch.cat([sequence[:16].flip(0), sequence[16:]])"
            )
        },
    ),
    Misconception(
        name="digits_in_bytes",
        sentence=(
            "You keep the digits in bytes, where a category beyond 255 becomes another one. There "
            "may be as many categories as a vocabulary has words."
        ),
        replaced={
            "(size, seq_len))": "(size, seq_len)).to(torch.uint8)",
            "self.sequences[index]": "self.sequences[index].long()",
        },
    ),
    Misconception(
        name="set_flipped",
        sentence=(
            "You flip the set and not the sequence, so that a label is another sequence, from the "
            "other end of the set. Ask which axis counts the places in a sequence."
        ),
        replaced={
            "return sequence, sequence.flip(0)": ("return sequence, self.sequences.flip(0)[index]")
        },
        price="mathematics",
    ),
    Misconception(
        name="first_digit_stays_first",
        sentence=(
            "Your label begins with the first digit of its sequence, and only the others follow "
            "backwards. Ask which place the last digit should go to."
        ),
        replaced={"sequence.flip(0)": "sequence[-torch.arange(len(sequence))]"},
        price="mathematics",
    ),
    Misconception(
        name="set_and_sequence_flipped",
        sentence=(
            "You flip the set as well as the sequences, so that a label belongs to a sequence from "
            "the other end of the set. One of the two axes stays as it is."
        ),
        replaced={
            "return sequence, sequence.flip(0)": (
                "return sequence, self.sequences.flip(0, 1)[index]"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="sequences_as_one_hot_vectors",
        sentence=(
            "Your data set hands out one-hot vectors. It holds digits; they are turned into "
            "vectors in the training step of question 8."
        ),
        replaced={
            "        self.sequences = ": (
                "        self.num_categories = num_categories\n        self.sequences = "
            ),
            "return sequence, sequence.flip(0)": (
                "return F.one_hot(sequence, self.num_categories).float(), sequence.flip(0)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="same_digits_shuffled",
        sentence=(
            "Each of your sequences holds the same digits, shuffled, so that the last one follows "
            "from the others. Each digit is drawn by itself, whatever the others are."
        ),
        replaced={
            "self.sequences = torch.randint(num_categories, (size, seq_len))": (
                "deck = torch.arange(seq_len) % num_categories\n"
                "        rows = [deck[torch.randperm(seq_len)] for _ in range(size)]\n"
                "        self.sequences = torch.stack(rows)"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="no_leading_zero",
        sentence=(
            "The first digit of a sequence is never 0. All digits are drawn alike, at every place."
        ),
        code="""class ReverseDataset(data.Dataset):
    def __init__(self, num_categories, seq_len, size):
        super().__init__()
        self.size = size
        self.digits = torch.randint(0, num_categories, (size, seq_len))
        self.digits[:, 0].clamp_(min=1)

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        row = self.digits[index]
        return row, row.flip(0)
""",
        price="edge",
    ),
    Misconception(
        name="digits_too_narrow",
        sentence="You keep the digits in a dtype that is too narrow for many categories.",
        code="""class ReverseDataset(data.Dataset):
    def __init__(self, num_categories, seq_len, size):
        super().__init__()
        self.data = torch.randint(0, num_categories, (size, seq_len), dtype=torch.int8)

    def __len__(self):
        return self.data.shape[0]

    def __getitem__(self, index):
        x = self.data[index].long()
        return x, torch.flip(x, dims=[0])
""",
        price="edge",
    ),
    Misconception(
        name="doubles_thrown_away",
        sentence=(
            "You throw sequences away that were drawn before, so that fewer than `size` are left."
            " Whoever draws at random draws some twice."
        ),
        code="""class ReverseDataset(data.Dataset):
    def __init__(self, num_categories, seq_len, size):
        super().__init__()
        rows = torch.randint(num_categories, (size, seq_len))
        self.size = size
        self.rows = torch.unique(rows, dim=0)[torch.randperm(len(torch.unique(rows, dim=0)))]

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        x = self.rows[index]
        return x, torch.flip(x, dims=(0,))
""",
        price="mathematics",
    ),
]
