"""What students get wrong in an encoding that is batch first."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="indexed_by_the_batch",
        price="mathematics",
        sentence=(
            "Your encoding follows the number of the sequence in the batch instead of the position "
            "in the sequence: the famous trap. Find the axis of `x` that counts positions."
        ),
        replaced={
            "x + self.pe[: x.shape[1]]": "x + self.pe[: x.shape[0]].unsqueeze(1)",
        },
    ),
    Misconception(
        name="cosine_has_an_exponent_of_its_own",
        price="mathematics",
        sentence=(
            "Your cosine columns use the exponent of their own index, so a sine and its cosine no "
            "longer share an angle. Both columns of a pair belong to the same frequency."
        ),
        replaced={
            "pe[:, 1::2] = torch.cos(angle)": (
                "pe[:, 1::2] = torch.cos(\n"
                "            position / 10000 ** (torch.arange(1, embed_dim, 2) / embed_dim)\n"
                "        )"
            )
        },
    ),
    Misconception(
        name="sines_left_cosines_right",
        price="mathematics",
        sentence=(
            "You put all sines into the left half and all cosines into the right one. In the "
            "formula they take turns."
        ),
        replaced={
            "pe[:, 0::2]": "pe[:, : embed_dim // 2]",
            "pe[:, 1::2]": "pe[:, embed_dim // 2 :]",
        },
    ),
    Misconception(
        name="positions_count_from_one",
        price="mathematics",
        sentence="Your positions count from 1. The first position of a sequence has the number 0.",
        replaced={"torch.arange(max_len)": "torch.arange(1, max_len + 1)"},
    ),
    Misconception(
        name="exponent_without_pairs",
        price="mathematics",
        sentence=(
            "Your exponent grows with the number of the pair, where the formula has twice that "
            "number: your waves are too slow to get long. Look at the 2 in the exponent."
        ),
        replaced={
            "torch.arange(0, embed_dim, 2) / embed_dim": "torch.arange(embed_dim // 2) / embed_dim"
        },
    ),
    Misconception(
        name="scales_the_input",
        price="mathematics",
        sentence=(
            "You multiply the input by a square root here. In this notebook the classifier does "
            "that, and the encoding only adds."
        ),
        replaced={"x + self.pe": "x * math.sqrt(x.shape[-1]) + self.pe"},
    ),
    Misconception(
        name="dropout_forgotten",
        price="edge",
        sentence=(
            "Nothing is dropped in training. The question puts dropout on the sum of input and "
            "encoding."
        ),
        replaced={"self.dropout(x + self.pe[: x.shape[1]])": "x + self.pe[: x.shape[1]]"},
    ),
    Misconception(
        name="dropout_on_the_input_alone",
        price="edge",
        sentence=(
            "You drop numbers of the input before the encoding is added. The question drops "
            "numbers of the sum."
        ),
        replaced={
            "self.dropout(x + self.pe[: x.shape[1]])": "self.dropout(x) + self.pe[: x.shape[1]]"
        },
    ),
    Misconception(
        name="encoding_is_trained",
        price="surroundings",
        sentence=(
            "Your encoding is a parameter, so training would change it. A buffer moves with the "
            "module and is left alone."
        ),
        replaced={'self.register_buffer("pe", pe)': "self.pe = nn.Parameter(pe)"},
    ),
    Misconception(
        name="plain_attribute",
        price="edge",
        sentence=(
            "You keep the encoding in no buffer: as a plain attribute, or made anew in each call, "
            "it does not follow the module to another device or dtype. Register it."
        ),
        replaced={'self.register_buffer("pe", pe)': "self.pe = pe"},
    ),
    Misconception(
        name="sines_and_cosines_exchanged",
        sentence=(
            "Sines and cosines have changed places: your even columns hold cosines. Which of "
            "the two begins at 0?"
        ),
        replaced={
            "torch.sin(angle)": "torch.cos(angle)",
            "pe[:, 1::2] = torch.cos(angle)": "pe[:, 1::2] = torch.sin(angle)",
        },
        price="mathematics",
    ),
    Misconception(
        name="dropout_on_the_encoding_alone",
        sentence=(
            "You drop numbers of the encoding alone. In the formula dropout acts on the sum."
        ),
        replaced={
            "self.dropout(x + self.pe[: x.shape[1]])": "x + self.dropout(self.pe[: x.shape[1]])",
        },
        price="edge",
    ),
    Misconception(
        name="exponent_doubled",
        price="mathematics",
        sentence=(
            "Your exponent is twice as large as that of the formula, so that the waves get long "
            "too fast. Which numbers stand for 2i in your code, and are they doubled once more?"
        ),
        replaced={
            "torch.arange(0, embed_dim, 2) / embed_dim": (
                "2 * torch.arange(0, embed_dim, 2) / embed_dim"
            )
        },
    ),
    Misconception(
        name="whole_positions_dropped",
        price="edge",
        sentence=(
            "You drop whole vectors, so that a position is there or it is not. Dropout decides for "
            "every number by itself."
        ),
        replaced={"nn.Dropout(dropout)": "nn.Dropout1d(dropout)"},
    ),
    Misconception(
        name="positions_are_learned",
        price="mathematics",
        sentence=(
            "You add a table of vectors that are learned, as BERT does. Here the vectors are given "
            "by a formula, and stay as they are."
        ),
        code="""class PositionalEncoding(nn.Module):
    def __init__(self, embed_dim, dropout=0.1, max_len=512):
        super().__init__()
        self.places = nn.Embedding(max_len, embed_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(x + self.places(torch.arange(x.shape[1], device=x.device)))
""",
    ),
    Misconception(
        name="rate_not_followed",
        price="edge",
        sentence=(
            "In training you drop numbers even where the rate is 0. Follow it from the arguments "
            "of your module to its dropout."
        ),
        replaced={"nn.Dropout(dropout)": "nn.Dropout(0.1)"},
    ),
    Misconception(
        name="positions_from_the_end",
        price="mathematics",
        sentence=(
            "You count the positions from the end, so that a token's mark depends on how many come "
            "after it. The first one has the number 0."
        ),
        replaced={"self.pe[: x.shape[1]]": "self.pe[: x.shape[1]].flip(0)"},
    ),
    Misconception(
        name="vectors_rotated",
        price="mathematics",
        sentence=(
            "You turn the vectors by the angles of their positions, as some newer models do with "
            "queries and keys. Here the mark is added to the vector."
        ),
        replaced={
            "        return self.dropout(x + self.pe[: x.shape[1]])": (
                "        pe, even, odd = self.pe[: x.shape[1]], x[..., 0::2], x[..., 1::2]\n"
                "        sine, cosine = pe[:, 0::2], pe[:, 1::2]\n"
                "        turned = (even * cosine - odd * sine, even * sine + odd * cosine)\n"
                "        return self.dropout(torch.stack(turned, dim=-1).flatten(-2))"
            )
        },
    ),
    Misconception(
        name="dropout_of_pytorchs_share",
        price="edge",
        sentence=(
            "Your dropout has the share that PyTorch takes when it is told none. The module is "
            "told with which one to drop."
        ),
        replaced={"nn.Dropout(dropout)": "nn.Dropout()"},
    ),
    Misconception(
        name="zero_vectors_left_alone",
        sentence=(
            "You take vectors of zeros for padding and add nothing to them. Which tokens are real "
            "is not the business of the encoding: every position gets its mark."
        ),
        replaced={
            "        return self.dropout(x + self.pe[: x.shape[1]])": (
                "        real = (x != 0).any(dim=-1, keepdim=True)\n"
                "        return self.dropout(x + self.pe[: x.shape[1]] * real)"
            )
        },
    ),
    Misconception(
        name="positions_of_eight_bits",
        sentence=(
            "You count positions in 8 bits, which end at 255, and begin anew. Count them as "
            "floats, or in int64."
        ),
        code="""class PositionalEncoding(nn.Module):
    def __init__(self, embed_dim, dropout=0.1, max_len=512):
        super().__init__()
        positions = torch.arange(max_len).to(torch.uint8).float().unsqueeze(1)
        freq = 1.0 / (10000 ** (torch.arange(0, embed_dim, 2).float() / embed_dim))
        pe = torch.empty(max_len, embed_dim)
        pe[:, 0::2] = torch.sin(positions * freq)
        pe[:, 1::2] = torch.cos(positions * freq)
        self.register_buffer("pe", pe)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        return self.drop(x + self.pe[: x.size(1)])
""",
    ),
    Misconception(
        name="smaller_base",
        sentence=("Your wavelengths grow with a smaller base than 10,000."),
        replaced={
            "position / 10000 **": "position / 1000 **",
        },
        price="mathematics",
    ),
    Misconception(
        name="frequencies_grow",
        sentence=(
            "You multiply positions by what they are to be divided by, so that waves get shorter "
            "from column to column. They get longer."
        ),
        replaced={
            "position / 10000 **": "position * 10000 **",
        },
        price="mathematics",
    ),
    Misconception(
        name="sines_at_even_positions",
        sentence=(
            "Your sines stand at even positions and your cosines at odd ones. In the "
            "formula even and odd are columns: every position has both."
        ),
        replaced={
            ("pe[:, 0::2] = torch.sin(angle)\n        pe[:, 1::2] = torch.cos(angle)"): (
                "both = (angle).repeat_interleave(2, dim=1)\n"
                "        pe[0::2] = torch.sin(both[0::2])\n"
                "        pe[1::2] = torch.cos(both[1::2])"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="exponent_spread_over_all_but_one",
        sentence=(
            "Your exponents are spread over one pair of columns less than there are, so "
            "that the waves become slow too fast. See what the formula divides by."
        ),
        replaced={
            "(torch.arange(0, embed_dim, 2) / embed_dim)": (
                "(torch.arange(0, embed_dim, 2) / max(embed_dim - 2, 1))"
            ),
        },
        price="mathematics",
    ),
]
