"""Known wrong answers to `positional_encoder`."""

from __future__ import annotations

from autograder.checking import Misconception

EVEN, ODD = "0::2] = torch.sin", "1::2] = torch.cos"
COSINE = "torch.cos(angle)"
EXPONENT = "even_column / d_model"
SCALED = "x * math.sqrt(x.shape[-1])"
SIZE = "x.shape[-1]"
ROWS = "self.pe[:, : x.shape[1]]"
STORED = 'self.register_buffer("pe", pe)'

MISCONCEPTIONS = [
    Misconception(
        "cosine_uses_odd_index",
        "You give the cosine an exponent of its own, so that each column has another frequency. "
        "Sine and cosine of a pair share one angle: compare the two exponents in the formula.",
        {COSINE: "torch.cos(position / 10000 ** ((even_column + 1) / d_model))"},
        price="mathematics",
    ),
    Misconception(
        "sine_and_cosine_exchanged",
        "You put the cosines where the sines belong and the other way round. Look at which of the "
        "two starts at 0 and in which column.",
        {EVEN: "0::2] = torch.cos", ODD: "1::2] = torch.sin"},
        price="mathematics",
    ),
    Misconception(
        "halves_instead_of_pairs",
        "You put all sines in the first half of the columns and all cosines in the second. In the "
        "formula the two kinds of columns take turns.",
        {"0::2": ": d_model // 2", "1::2": "d_model // 2 :"},
        price="mathematics",
    ),
    Misconception(
        "sine_everywhere",
        "You fill all columns with sines, so the two columns of a pair are the same. Look at what "
        "the formula says about the columns with an odd number.",
        {COSINE: "torch.sin(angle)"},
        price="mathematics",
    ),
    Misconception(
        "cosine_missing",
        "You fill every other column only and leave the rest as they were made. The formula has "
        "a second line, for the columns with an odd number.",
        {f"        pe[0, :, 1::2] = {COSINE}\n": ""},
        price="mathematics",
    ),
    Misconception(
        "base_of_1000",
        "Your slowest wave is too fast: the base of your power is ten times too small. Count the "
        "zeros in the formula.",
        {"10000": "1000"},
        price="mathematics",
    ),
    Misconception(
        "base_of_100000",
        "Your slowest wave is too slow: the base of your power is ten times too large. Count the "
        "zeros in the formula.",
        {"10000": "100000"},
        price="mathematics",
    ),
    Misconception(
        "pairs_counted_as_columns",
        "You divide the number of the pair by d_model, so the frequencies fall half as fast as "
        "they should. Something in the exponent of the formula is missing in yours.",
        {"torch.arange(0, d_model, 2)": "torch.arange(d_model // 2)"},
        price="mathematics",
    ),
    Misconception(
        "exponent_doubled",
        "Your column numbers already go in steps of two and you double them once more, so the "
        "frequencies fall twice as fast. Compare your exponent at the last pair with the formula.",
        {EXPONENT: f"2 * {EXPONENT}"},
        price="mathematics",
    ),
    Misconception(
        "exponent_rounded",
        "You compute the exponent with whole numbers, so it is 0 in every column and all columns "
        "have the same frequency. Check which of the two division operators you use.",
        {EXPONENT: "even_column // d_model"},
        price="mathematics",
    ),
    Misconception(
        "positions_from_one",
        "Your first position is 1, so every row is the one that belongs to the next position. "
        "The text says from where positions count.",
        {"torch.arange(max_seq_len)": "torch.arange(1, max_seq_len + 1)"},
        price="mathematics",
    ),
    Misconception(
        "positions_as_shares",
        "You divide the positions by the length of the table, so a row depends on how long the "
        "longest sequence may be. In the formula a position is a whole number.",
        {"position / 10000": "position / max_seq_len / 10000"},
        price="mathematics",
    ),
    Misconception(
        "input_not_scaled",
        "You add the encoding to the input as it came. Look at what happens to the input before "
        "the sum, in the last formula of the introduction.",
        {SCALED: "x"},
        price="mathematics",
    ),
    Misconception(
        "scaled_without_root",
        "You multiply the input by d_model itself, so the encoding drowns in it. Look again at the "
        "factor in the last formula of the introduction.",
        {f"math.sqrt({SIZE})": SIZE},
        price="mathematics",
    ),
    Misconception(
        "scaled_by_length",
        "Your factor follows from the length of the sequence, so the same vector is scaled "
        "differently in a longer one. Check which axis of the input its vectors' size is.",
        {SIZE: "x.shape[1]"},
        price="mathematics",
    ),
    Misconception(
        "input_divided",
        "You make the input smaller where the text makes it larger. Read again what the factor is "
        "good for.",
        {"x * math": "x / math"},
        price="mathematics",
    ),
    Misconception(
        "encoding_scaled_too",
        "You multiply the sum of input and encoding, so the encoding grows as well. Look at how "
        "far the factor reaches in the last formula of the introduction.",
        {f"{SCALED} + {ROWS}": f"(x + {ROWS}) * math.sqrt({SIZE})"},
        price="mathematics",
    ),
    Misconception(
        "encoding_multiplied",
        "You multiply the input by the encoding, which wipes it out wherever a wave is at 0. The "
        "mark of a position is added.",
        {f"{SCALED} + {ROWS}": f"{SCALED} * {ROWS}"},
        price="mathematics",
    ),
    Misconception(
        "row_of_the_batch",
        "You cut the table by the number of sequences and not by the number of positions. Check "
        "which axis of the input counts the positions.",
        {": x.shape[1]": ": x.shape[0]"},
        price="mathematics",
    ),
    Misconception(
        "whole_table_added",
        "You add the table for the longest sequence to every input, which fits only an input of "
        "just that length. A shorter sequence has fewer positions.",
        {ROWS: "self.pe"},
        price="mathematics",
    ),
    Misconception(
        "last_rows_added",
        "You add the last rows of the table, so a short sequence is marked as if it stood at the "
        "end of a long one. Look at where its positions start.",
        {ROWS: "self.pe[:, -x.shape[1] :]"},
        price="mathematics",
    ),
    Misconception(
        "pe_is_an_attribute",
        "You keep the encoding as a plain attribute, so it stays behind when the module moves to "
        "another device or dtype. The text says what kind of member it is.",
        {STORED: "self.pe = pe"},
        price="edge",
    ),
    Misconception(
        "pe_is_a_parameter",
        "You keep the encoding as a parameter, so an optimizer would change it. The text says what "
        "kind of member it is.",
        {STORED: "self.pe = nn.Parameter(pe)"},
        price="edge",
    ),
    Misconception(
        "pe_without_leading_axis",
        "Your table is right, but it has no axis for the batch. Compare its shape with the one "
        "that the text gives.",
        {
            "torch.zeros(1, max": "torch.zeros(max",
            "pe[0, :, 0::2]": "pe[:, 0::2]",
            "pe[0, :, 1::2]": "pe[:, 1::2]",
            ROWS: "self.pe[: x.shape[1]]",
        },
        price="edge",
    ),
    Misconception(
        "pe_in_float64",
        "Your table is in double precision, as numpy makes its arrays, so the output is too. The "
        "output has the dtype of the input.",
        {STORED: 'self.register_buffer("pe", pe.double())'},
        price="mathematics",
    ),
    Misconception(
        "input_changed_in_place",
        "You scale the input in place, so the tensor of whoever called you changes as well. Make "
        "a new tensor instead.",
        {f"return {SCALED} + {ROWS}": f"x *= math.sqrt({SIZE})\n        return x + {ROWS}"},
        price="surroundings",
    ),
    Misconception(
        "row_for_each_sequence",
        "You give each sequence of the batch one row of the table, the same at all its positions. "
        "A row belongs to a position: look at which axis of the input your rows are laid along.",
        {ROWS: "self.pe[0, : x.shape[0]].unsqueeze(1)"},
        price="mathematics",
    ),
    Misconception(
        "table_is_a_plain_attribute",
        "You add something else than the buffer holds, as a plain attribute of the module, and "
        "the buffer `pe` is there for show. A plain attribute does not move with the module.",
        {
            STORED: 'self.table = pe\n        self.register_buffer("pe", pe.clone())',
            ROWS: "self.table[:, : x.shape[1]].to(x)",
        },
        price="edge",
    ),
    Misconception(
        "length_of_the_table_fixed",
        "Your table has the same number of rows whatever `max_seq_len` says. The length of "
        "the longest sequence is an argument: use it wherever rows are counted.",
        {
            "torch.arange(max_seq_len)": "torch.arange(80)",
            "torch.zeros(1, max_seq_len": "torch.zeros(1, 80",
        },
        price="edge",
    ),
    Misconception(
        "dropout_added",
        "You drop a part of the sum at random while the module is in training mode. The formula "
        "has no dropout, and the output is the same in both modes.",
        {
            f"{SCALED} + {ROWS}": "nn.functional.dropout(\n"
            f"            {SCALED} + {ROWS}, 0.1, self.training\n        )"
        },
        price="mathematics",
    ),
    Misconception(
        "one_pair_too_few_in_the_exponent",
        "Your waves become slow too fast, since you share the exponent out among one pair "
        "less than there are. Compare what your exponent and the formula divide by.",
        {
            EXPONENT: "even_column / max(d_model - 2, 1)",
        },
        price="mathematics",
    ),
    Misconception(
        "positions_from_one_and_input_not_scaled",
        "Your first position is 1, and you add the encoding to the input as it came. The text "
        "says from where positions count, and what happens to the input before the sum.",
        {
            "torch.arange(max_seq_len)": "torch.arange(1, max_seq_len + 1)",
            SCALED: "x",
        },
        price="mathematics",
    ),
    Misconception(
        "last_rows_added_and_input_not_scaled",
        "You add the last rows of the table, to the input as it came. Look at where the "
        "positions of a short sequence start, and at what happens to the input before the "
        "sum.",
        {
            SCALED: "x",
            ROWS: "self.pe[:, -x.shape[1] :]",
        },
        price="mathematics",
    ),
    Misconception(
        name="refuses_the_longest",
        sentence=(
            "You refuse a sequence that is as long as the table. It is long enough for that one, "
            "too."
        ),
        code='''class PositionalEncoder(nn.Module):
    """Adds the sinusoidal marks."""

    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        self.scale = d_model**0.5
        div_term = torch.exp(
            torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model)
        )
        angles = torch.outer(torch.arange(max_seq_len).float(), div_term)
        pe = torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)
        self.register_buffer("pe", pe[None])

    def forward(self, x):
        length = x.size(1)
        if not length < self.pe.size(1):
            raise ValueError("sequence too long")
        out = x * self.scale
        out = out + self.pe[:, :length, :]
        return out
''',
        price="edge",
    ),
    Misconception(
        name="table_in_half_precision",
        sentence=(
            "The table is kept in half precision, so that its numbers are right to three digits "
            "only."
        ),
        code='''class PositionalEncoder(nn.Module):
    """Adds the sinusoidal marks."""

    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        self.scale = d_model**0.5
        div_term = torch.exp(
            torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model)
        )
        angles = torch.outer(torch.arange(max_seq_len).float(), div_term)
        pe = torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)
        self.register_buffer("pe", pe[None].half())

    def forward(self, x):
        length = x.size(1)
        out = x * self.scale
        out = out + self.pe[:, :length, :]
        return out
''',
        price="mathematics",
    ),
    Misconception(
        name="first_row_is_padding",
        sentence=(
            "The row of position 0 is set to zero, as that of a padding id would be. A position "
            "is no id: the first one has its row as all others have."
        ),
        code='''class PositionalEncoder(nn.Module):
    """Adds the sinusoidal marks."""

    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        self.scale = d_model**0.5
        div_term = torch.exp(
            torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model)
        )
        angles = torch.outer(torch.arange(max_seq_len).float(), div_term)
        pe = torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)
        pe[0] = 0
        self.register_buffer("pe", pe[None])

    def forward(self, x):
        length = x.size(1)
        out = x * self.scale
        out = out + self.pe[:, :length, :]
        return out
''',
        price="mathematics",
    ),
    Misconception(
        name="first_sequence_alone",
        sentence=(
            "You add the encoding to the first sequence of the batch alone. Each sequence gets it."
        ),
        code='''class PositionalEncoder(nn.Module):
    """Sinusoidal encoding, added in place to a scaled copy."""

    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        self.d_model = d_model
        position = torch.arange(max_seq_len)[:, None]
        div_term = 10000.0 ** (torch.arange(0, d_model, 2) / d_model)
        pe = torch.zeros(1, max_seq_len, d_model)
        pe[0, :, 0::2] = torch.sin(position / div_term)
        pe[0, :, 1::2] = torch.cos(position / div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        out = x * math.sqrt(self.d_model)
        out[0] = out[0] + self.pe[0, : x.size(1)]
        return out
''',
        price="mathematics",
    ),
    Misconception(
        name="batch_measured_by_the_table",
        sentence=(
            "You compare the number of sequences with `max_seq_len`. The table limits how long "
            "they are, and not how many."
        ),
        code="""class PositionalEncoder(nn.Module):
    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        self.max_seq_len = max_seq_len
        self.d_model = d_model
        a = torch.arange(max_seq_len)[:, None] / 10000 ** (
            torch.arange(0, d_model, 2) / d_model
        )
        pe = torch.zeros(1, max_seq_len, d_model)
        pe[..., 0::2] = a.sin()
        pe[..., 1::2] = a.cos()
        self.register_buffer("pe", pe)

    def forward(self, x):
        if x.shape[0] > self.max_seq_len:
            raise ValueError(f"sequence too long: {x.shape[0]} > {self.max_seq_len}")
        return math.sqrt(self.d_model) * x + self.pe[:, : x.shape[1]]
""",
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
