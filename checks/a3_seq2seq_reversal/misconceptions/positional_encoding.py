"""Wrong answers to question 2 that students are known to give."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="cosine_has_its_own_frequency",
        sentence=(
            "Your cosines have a frequency of their own, but a cosine should have the "
            "frequency of the sine to its left. Look at the exponent in both formulas: it "
            "holds 2i, not the number of the column."
        ),
        replaced={
            "torch.cos(position * frequency)": (
                "torch.cos(position * frequency * 10000 ** (-1 / d_model))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="sines_then_cosines",
        sentence=(
            "You put all sines into the left half and all cosines into the right half. They "
            "should take turns, column by column."
        ),
        replaced={
            "0::2": ": d_model // 2",
            "1::2": "d_model // 2 :",
        },
        price="mathematics",
    ),
    Misconception(
        name="input_is_scaled",
        sentence=(
            "You multiply the input by the square root of d_model before the encoding is "
            "added. This question adds the encoding to the input as it is, and its text "
            "says why."
        ),
        replaced={
            "return x +": "return x * math.sqrt(x.shape[-1]) +",
        },
        price="mathematics",
    ),
    Misconception(
        name="encoding_by_batch",
        sentence=(
            "You take as many rows of the encoding as there are sequences in the batch, and "
            "give each sequence one of them at all its positions. The shapes fit by "
            "broadcasting; look at which axis counts the positions."
        ),
        replaced={
            "torch.zeros(1, max_len, d_model)": "torch.zeros(max_len, 1, d_model)",
            "pe[0, :, 0::2]": "pe[:, 0, 0::2]",
            "pe[0, :, 1::2]": "pe[:, 0, 1::2]",
            "self.pe[:, : x.shape[1]]": "self.pe[: x.shape[0]]",
        },
        price="mathematics",
    ),
    Misconception(
        name="frequencies_fall_too_slowly",
        sentence=(
            "Your frequencies fall half as fast as they should, since the exponent counts "
            "pairs where it should count columns. Compare your exponent with 2i/d."
        ),
        replaced={
            "torch.arange(0, d_model, 2)": "torch.arange(d_model // 2)",
        },
        price="mathematics",
    ),
    Misconception(
        name="decimal_logarithm",
        sentence=(
            "You take the logarithm to the base 10, which does not undo the exponential "
            "function. The formula has the natural one."
        ),
        replaced={
            "math.log(10000)": "math.log10(10000)",
        },
        price="mathematics",
    ),
    Misconception(
        name="positions_from_one",
        sentence=(
            "Your positions count from 1, so position 0 has the waves of position 1. Check "
            "that the first row holds only zeros and ones."
        ),
        replaced={
            "torch.arange(max_len)": "torch.arange(1, max_len + 1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="encoding_is_trained",
        sentence=(
            "You made the encoding a parameter, so an optimizer would change it. It is "
            "fixed: keep it in a buffer."
        ),
        replaced={
            'self.register_buffer("pe", pe)': "self.pe = nn.Parameter(pe)",
        },
    ),
    Misconception(
        name="sines_and_cosines_exchanged",
        sentence=(
            "Sines and cosines have changed places: your even columns hold cosines. Which of "
            "the two begins at 0?"
        ),
        replaced={
            "torch.sin(position * frequency)": "torch.cos(position * frequency)",
            "pe[0, :, 1::2] = torch.cos(position * frequency)": (
                "pe[0, :, 1::2] = torch.sin(position * frequency)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="buffer_beside_what_is_added",
        sentence=(
            "What you add is kept beside the buffer, or worked out anew, and nothing reads the "
            "buffer. Add what stands in the buffer: it moves with the module, a plain attribute "
            "does not."
        ),
        replaced={
            'self.register_buffer("pe", pe)': (
                'self.table = pe\n        self.register_buffer("pe", pe.clone())'
            ),
            "return x + self.pe[:, : x.shape[1]]": "return x + self.table[:, : x.shape[1]].to(x)",
        },
    ),
    Misconception(
        name="always_50_rows",
        sentence=(
            "Your encoding always has 50 rows, and the length that it is given is not used. How "
            "many rows there are is one of the two arguments."
        ),
        replaced={
            "torch.arange(max_len)": "torch.arange(50)",
            "torch.zeros(1, max_len, d_model)": "torch.zeros(1, 50, d_model)",
        },
        price="edge",
    ),
    Misconception(
        name="zero_vectors_left_unmarked",
        sentence=(
            "You leave vectors of zeros without a mark, as if they were padding. Every position "
            "gets its mark, whatever stands there; hiding padding is the work of a mask."
        ),
        replaced={
            "self.pe[:, : x.shape[1]]": (
                "self.pe[:, : x.shape[1]] * (x != 0).any(dim=-1, keepdim=True)"
            ),
        },
    ),
    Misconception(
        name="frequencies_fall_too_fast",
        sentence=(
            "Your frequencies fall twice as fast as they should: something is counted twice in "
            "your exponent. Compare it with 2i/d at the last pair of columns."
        ),
        replaced={
            "torch.arange(0, d_model, 2)": "2 * torch.arange(0, d_model, 2)",
        },
        price="mathematics",
    ),
    Misconception(
        name="cut_by_the_size_of_the_vectors",
        sentence=(
            "You take as many rows of the encoding as a vector has numbers. Ask which axis of x "
            "counts the positions: an example where two sizes agree does not tell."
        ),
        replaced={
            ": x.shape[1]": ": x.shape[-1]",
        },
        price="mathematics",
    ),
    Misconception(
        name="last_rows_of_the_table",
        sentence=(
            "A short sequence gets the last rows of the table. Positions are counted from its "
            "start."
        ),
        code="""class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        pos = torch.arange(max_len).unsqueeze(1)
        omega = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(pos * omega)
        pe[0, :, 1::2] = torch.cos(pos * omega)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[:, -x.shape[1] :]
""",
        price="mathematics",
    ),
    Misconception(
        name="exponent_spread_over_all_but_one",
        sentence=(
            "Your exponents are spread over one pair of columns less than there are. See what the"
            " formula divides by."
        ),
        code="""class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        num_timescales = d_model // 2
        log_increment = math.log(10000.0) / max(num_timescales - 1, 1)
        inv_timescales = torch.exp(torch.arange(num_timescales) * -log_increment)
        scaled_time = torch.arange(max_len)[:, None] * inv_timescales[None, :]
        pe = torch.empty(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(scaled_time)
        pe[0, :, 1::2] = torch.cos(scaled_time)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[:, : x.shape[1], :]
""",
        price="mathematics",
    ),
    Misconception(
        name="smaller_base",
        sentence=("Your wavelengths grow with a smaller base than 10,000."),
        replaced={
            "math.log(10000)": "math.log(1000)",
        },
        price="mathematics",
    ),
    Misconception(
        name="frequencies_grow",
        sentence=(
            "Your waves get shorter from column to column, and should get longer: look at the "
            "sign of the exponent."
        ),
        replaced={
            "(-math.log(10000) / d_model)": "(math.log(10000) / d_model)",
        },
        price="mathematics",
    ),
    Misconception(
        name="mark_of_the_last_position_for_all",
        sentence=(
            "You add one mark to all positions, that of the last one, so that nobody can tell "
            "them apart. An index takes a single row; a slice takes as many as there are "
            "positions."
        ),
        replaced={"[:, : x.shape[1]]": "[:, x.shape[1] - 1].unsqueeze(1)"},
        price="mathematics",
    ),
    Misconception(
        name="mark_of_the_first_position_for_all",
        sentence=(
            "You add the mark of the first position to all, so that nobody can tell them apart. "
            "Each position has a row of its own in the table."
        ),
        replaced={"[:, : x.shape[1]]": "[:, :1]"},
        price="mathematics",
    ),
    Misconception(
        name="mark_behind_the_last_position_for_all",
        sentence=(
            "You take the one row of the table that follows your sequence, or its last where no "
            "other follows, and add it to all positions. Each has a row of its own, from the "
            "first on."
        ),
        code="""class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        angles = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        waves = torch.stack([angles.sin(), angles.cos()], dim=-1)
        self.register_buffer("pe", waves.flatten(1)[None])

    def forward(self, x):
        length = min(x.size(1), self.pe.size(1) - 1)
        return x + self.pe[:, length, None]
""",
        price="mathematics",
    ),
    Misconception(
        name="last_row_of_the_table_for_all",
        sentence=(
            "You add the last row of the table to all positions, however many there are. Position "
            "by position another row is added."
        ),
        replaced={"[:, : x.shape[1]]": "[:, -1:]"},
        price="mathematics",
    ),
    Misconception(
        name="sines_at_even_positions",
        sentence=(
            "Your sines stand at even positions and your cosines at odd ones. In the "
            "formula even and odd are columns: every position has both."
        ),
        replaced={
            (
                "pe[0, :, 0::2] = torch.sin(position * frequency)\n"
                "        pe[0, :, 1::2] = torch.cos(position * frequency)"
            ): (
                "both = (position * frequency).repeat_interleave(2, dim=1)\n"
                "        pe[0, 0::2] = torch.sin(both[0::2])\n"
                "        pe[0, 1::2] = torch.cos(both[1::2])"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="mean_of_the_marks_for_all",
        sentence=(
            "Every position gets the same mark, the mean of all of them, so that none is "
            "told from another. Add to each row the encoding of its own position."
        ),
        replaced={
            "self.pe[:, : x.shape[1]]": "self.pe[:, : x.shape[1]].mean(dim=1, keepdim=True)",
        },
        price="mathematics",
    ),
]
