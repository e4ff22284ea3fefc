"""What goes wrong with sines, cosines and the dropout after them."""

from autograder.checking import Misconception

ADDED = "self.dropout(x + self.pe[:, : x.shape[1]])"

MISCONCEPTIONS = [
    Misconception(
        name="cosine_uses_odd_index",
        price="mathematics",
        sentence=(
            "Your cosine has an angle of its own, as if the column's number stood in the exponent. "
            "Sine and cosine of a pair share one angle: read the exponent in the formula again."
        ),
        replaced={
            "torch.cos(angle)": (
                "torch.cos(position / 10000 ** (torch.arange(1, d_model, 2) / d_model))"
            )
        },
    ),
    Misconception(
        name="sines_first_cosines_after",
        price="mathematics",
        sentence=(
            "You put all sines into the first half of the columns and all cosines into the second. "
            "The question wants them in turn, pair by pair."
        ),
        replaced={
            "pe[0, :, 0::2]": "pe[0, :, : d_model // 2]",
            "pe[0, :, 1::2]": "pe[0, :, d_model // 2 :]",
        },
    ),
    Misconception(
        name="sine_and_cosine_swapped",
        price="mathematics",
        sentence=(
            "You put the cosines into the even columns and the sines into the odd ones. Columns "
            "count from 0, so the first one is a sine."
        ),
        replaced={
            "0::2] = torch.sin(angle)": "1::2] = torch.sin(angle)",
            "1::2] = torch.cos(angle)": "0::2] = torch.cos(angle)",
        },
    ),
    Misconception(
        name="positions_from_one",
        price="mathematics",
        sentence=(
            "Your first position is 1. Positions count from 0: there every sine is 0 and every "
            "cosine is 1."
        ),
        replaced={"torch.arange(max_len)": "torch.arange(1, max_len + 1)"},
    ),
    Misconception(
        name="indexed_by_batch",
        price="mathematics",
        sentence=(
            "You take as many rows of the encoding as there are sentences, not positions. The "
            "batch comes first: look at which axis counts the positions."
        ),
        replaced={ADDED: "self.dropout(x + self.pe[:, : x.shape[0]].transpose(0, 1))"},
    ),
    Misconception(
        name="input_scaled",
        price="mathematics",
        sentence=(
            "You make the input larger before you add the encoding. Other models do, this question "
            "does not."
        ),
        replaced={ADDED: "self.dropout(x * math.sqrt(x.shape[-1]) + self.pe[:, : x.shape[1]])"},
    ),
    Misconception(
        name="dropout_on_the_input_only",
        price="edge",
        sentence=(
            "You drop numbers of the input and add the encoding afterwards, so positions are never "
            "dropped. Dropout acts on the sum."
        ),
        replaced={ADDED: "self.dropout(x) + self.pe[:, : x.shape[1]]"},
    ),
    Misconception(
        name="no_dropout",
        price="edge",
        sentence=(
            "Your module drops nothing in training. Look at the last step of the formula, and at "
            "the argument that you have not used."
        ),
        replaced={ADDED: "x + self.pe[:, : x.shape[1]]"},
    ),
    Misconception(
        name="exponent_without_pairs",
        price="mathematics",
        sentence=(
            "Your exponent counts pairs where it should count columns, so that the angles fall "
            "half as fast as in the formula."
        ),
        replaced={
            "(torch.arange(0, d_model, 2) / d_model)": "(torch.arange(d_model // 2) / d_model)",
        },
    ),
    Misconception(
        name="encoding_is_trained",
        price="edge",
        sentence=(
            "Your table is a parameter, so that training would change it. Keep it in a buffer."
        ),
        replaced={
            'self.register_buffer("pe", pe)': "self.pe = nn.Parameter(pe)",
        },
    ),
    Misconception(
        name="dropout_with_a_fixed_share",
        price="edge",
        sentence="Your dropout has a share of its own. The module is told with which one to drop.",
        replaced={"nn.Dropout(dropout)": "nn.Dropout(0.1)"},
    ),
    Misconception(
        name="dropout_on_the_encoding_alone",
        price="edge",
        sentence=(
            "You drop numbers of the encoding before it is added, so that the vectors themselves "
            "are never dropped. The text drops of the sum."
        ),
        replaced={
            ("self.dropout(x + self.pe[:, : x.shape[1]])"): (
                "x + self.dropout(self.pe[:, : x.shape[1]])"
            ),
        },
    ),
    Misconception(
        name="rows_of_an_earlier_call",
        sentence=(
            "You keep the rows that an earlier call has taken, and take yours from these. Every "
            "call begins with the first position of the whole table."
        ),
        replaced={
            f"return {ADDED}": (
                'kept = getattr(self, "kept", None)\n'
                "        if kept is None or kept.shape[1] < x.shape[1]:\n"
                "            kept = self.kept = self.pe[:, : x.shape[1]].to(x)\n"
                "        return self.dropout(x + kept[:, -x.shape[1] :])"
            ),
        },
    ),
    Misconception(
        name="whole_positions_dropped",
        price="edge",
        sentence=(
            "You drop whole vectors at once, so that a position is there or it is not. Dropout "
            "decides for every number by itself."
        ),
        replaced={
            ADDED: "(x + self.pe[:, : x.shape[1]]) * self.dropout(torch.ones_like(x[..., :1]))"
        },
    ),
    Misconception(
        name="exponent_doubled",
        price="mathematics",
        sentence=(
            "Your exponent is twice as large as that of the formula, so that the waves get long "
            "too fast. Which numbers stand for 2i in your code, and are they doubled once more?"
        ),
        replaced={
            "torch.arange(0, d_model, 2) / d_model": "2 * torch.arange(0, d_model, 2) / d_model",
        },
    ),
    Misconception(
        name="max_len_not_used",
        price="edge",
        sentence=(
            "Your table has as many rows as it has by default, whatever `max_len` says. How many "
            "positions there can be is an argument."
        ),
        replaced={
            "torch.arange(max_len)": "torch.arange(512)",
            "torch.zeros(1, max_len, d_model)": "torch.zeros(1, 512, d_model)",
        },
    ),
    Misconception(
        name="dropout_of_pytorchs_share",
        sentence=(
            "Your dropout has the share that PyTorch takes when it is told none. The module is "
            "told with which one to drop."
        ),
        replaced={"nn.Dropout(dropout)": "nn.Dropout()"},
        price="edge",
    ),
    Misconception(
        name="whole_columns_dropped",
        price="edge",
        sentence=(
            "You drop a column at all positions at once. Dropout decides for every number by "
            "itself."
        ),
        replaced={
            ADDED: "(x + self.pe[:, : x.shape[1]]) * self.dropout(torch.ones_like(x[:, :1]))"
        },
    ),
    Misconception(
        name="rows_counted_along_the_batch",
        price="mathematics",
        sentence=(
            "You take as many rows of the table as there are sentences, and their number does not "
            "fit that of the positions. Some tutorials put the positions first; here the batch is."
        ),
        replaced={ADDED: "self.dropout(x + self.pe[:, : x.shape[0]])"},
    ),
    Misconception(
        name="smaller_base",
        price="mathematics",
        sentence=(
            "The base of your powers is smaller than that of the formula, so that no wave gets as "
            "long as it should. Count its zeros."
        ),
        replaced={"position / 10000 **": "position / 1000 **"},
    ),
    Misconception(
        name="last_rows_taken",
        price="mathematics",
        sentence=(
            "You take the last rows of the table, as many as there are positions. The first vector "
            "of a sequence stands at position 0, however long the table is."
        ),
        replaced={"self.pe[:, : x.shape[1]]": "self.pe[:, -x.shape[1] :]"},
    ),
    Misconception(
        name="exponent_spread_over_all_but_one",
        sentence=(
            "Your exponents are spread over one pair of columns less than there are. See what the"
            " formula divides by."
        ),
        code="""class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        half = d_model // 2
        div = torch.exp(torch.arange(half) * (-math.log(10000.0) / (half - 1)))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div)
        pe[0, :, 1::2] = torch.cos(position * div)
        self.register_buffer("pe", pe)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.size(1)])
""",
        price="mathematics",
    ),
    Misconception(
        name="what_stays_not_divided",
        sentence=(
            "In training you set numbers to zero and leave the others as they are. Dropout "
            "divides what stays by the share that stays."
        ),
        code='''class PositionalEncoding(nn.Module):
    """Adds to every vector of a sequence a mark of its position, then drops some numbers."""

    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        angles = torch.arange(max_len)[:, None] / 10000 ** (
            torch.arange(0, d_model, 2) / d_model
        )
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2], pe[0, :, 1::2] = angles.sin(), angles.cos()
        self.register_buffer("pe", pe)
        self.p = dropout

    def forward(self, x):
        y = x + self.pe[:, : x.shape[1]]
        if self.training:
            y = y * (torch.rand_like(y) >= self.p)
        return y
''',
        price="edge",
    ),
    Misconception(
        name="positions_dropped_whole",
        sentence=(
            "You drop whole positions, the same in each sequence. Dropout takes each number by "
            "itself."
        ),
        code='''class PositionalEncoding(nn.Module):
    """Adds to every vector of a sequence a mark of its position, then drops some numbers."""

    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        angles = torch.arange(max_len)[:, None] / 10000 ** (
            torch.arange(0, d_model, 2) / d_model
        )
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2], pe[0, :, 1::2] = angles.sin(), angles.cos()
        self.register_buffer("pe", pe)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        keep = self.dropout(torch.ones_like(x[:1, :, :1]))
        return (x + self.pe[:, : x.shape[1]]) * keep
''',
        price="edge",
    ),
    Misconception(
        name="one_mask_of_dropout",
        sentence=(
            "You draw one mask of dropout for all sequences. Every number is dropped or kept by "
            "itself."
        ),
        code="""class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        self.p = dropout
        i = torch.arange(d_model // 2)
        angles = torch.arange(max_len)[:, None] / torch.pow(10000, 2 * i / d_model)
        pe = torch.zeros(1, max_len, d_model)
        pe[..., ::2], pe[..., 1::2] = torch.sin(angles), torch.cos(angles)
        self.register_buffer("pe", pe)

    def forward(self, x):
        out = x + self.pe[:, : x.size(1)]
        keep = nn.functional.dropout(torch.ones_like(out[:1]), self.p, self.training)
        return out * keep
""",
        price="edge",
    ),
    Misconception(
        name="centred",
        sentence=(
            "You take the mean off some columns. The encoding is the sines and cosines as they are."
        ),
        code="""class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        freq = 10000 ** (-torch.arange(0, d_model, 2).float() / d_model)
        angles = torch.outer(torch.arange(max_len).float(), freq)
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = angles.sin()
        pe[:, 1::2] = angles.cos()
        pe[:, 64:] -= pe[:, 64:].mean(dim=0)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.size(1)])
""",
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
        name="zero_taken_for_not_given",
        price="edge",
        sentence=(
            "Whoever asks for no dropout, `dropout=0`, gets some: for `or` and `if` a zero counts "
            "as nothing given."
        ),
        replaced={"nn.Dropout(dropout)": "nn.Dropout(dropout or 0.1)"},
    ),
    Misconception(
        name="share_that_is_kept",
        price="edge",
        sentence=(
            "You take `dropout` for the share that is kept. It is the one that is dropped, as it "
            "is for PyTorch."
        ),
        replaced={"nn.Dropout(dropout)": "nn.Dropout(1 - dropout)"},
    ),
    Misconception(
        name="sines_at_even_positions",
        sentence=(
            "Your sines stand at even positions and your cosines at odd ones. In the "
            "formula even and odd are columns: every position has both."
        ),
        replaced={
            ("pe[0, :, 0::2] = torch.sin(angle)\n        pe[0, :, 1::2] = torch.cos(angle)"): (
                "both = (angle).repeat_interleave(2, dim=1)\n"
                "        pe[0, 0::2] = torch.sin(both[0::2])\n"
                "        pe[0, 1::2] = torch.cos(both[1::2])"
            ),
        },
        price="mathematics",
    ),
]
