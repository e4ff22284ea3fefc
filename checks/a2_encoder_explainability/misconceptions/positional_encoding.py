"""Known wrong answers to `positional_encoding`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="cosine_uses_odd_index",
        sentence=(
            "Your cosines have a frequency of their own, made from the number of their own column. "
            "In the formula sine and cosine of a pair share one angle."
        ),
        replaced={
            "torch.stack([angle.sin(), angle.cos()], dim=-1)": (
                "torch.stack([angle.sin(), (angle / 10000 ** (1 / d_model)).cos()], dim=-1)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="sines_then_cosines",
        sentence=(
            "The first half of your columns are sines and the second half cosines. They should "
            "alternate."
        ),
        replaced={
            "torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)": (
                "torch.cat([angle.sin(), angle.cos()], dim=-1)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="exponent_twice_too_small",
        sentence=(
            "The exponent of your frequencies counts pairs where it should count columns: it is "
            "half of what the formula says."
        ),
        replaced={
            "(torch.arange(0, d_model, 2) / d_model)": "(torch.arange(d_model // 2) / d_model)"
        },
        price="mathematics",
    ),
    Misconception(
        name="indexed_by_the_batch",
        sentence=(
            "You take as many encodings as there are sequences, and each sequence gets one for all "
            "of its positions. The first axis of x counts sequences, the second positions."
        ),
        replaced={"self.table[: x.shape[1]]": "self.table[: x.shape[0], None]"},
        price="mathematics",
    ),
    Misconception(
        name="input_scaled",
        sentence=(
            "You multiply the input by the square root of d_model, as the first assignment did. "
            "Here the marks are simply added."
        ),
        replaced={"return x + ": "return x * math.sqrt(x.shape[-1]) + "},
        price="mathematics",
    ),
    Misconception(
        name="saved_with_the_model",
        sentence=(
            "Your table is a buffer that is saved in every checkpoint. Buffers can be told not to "
            "be."
        ),
        replaced={", persistent=False": ""},
        price="edge",
    ),
    Misconception(
        name="positions_from_one",
        sentence=("Your positions count from 1, so that position 0 has the mark of position 1."),
        replaced={
            "torch.arange(max_len)": "torch.arange(1, max_len + 1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="encoding_is_trained",
        sentence=("Your table is a parameter, so that training would change it. It is fixed."),
        replaced={
            'self.register_buffer("table", table, persistent=False)': (
                "self.table = nn.Parameter(table)"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="table_is_a_plain_attribute",
        sentence=(
            "You add something else than the buffer holds, as a plain attribute of the module, "
            "and the buffer is there for show. A plain attribute does not move with the module."
        ),
        replaced={
            '        self.register_buffer("table", table, persistent=False)\n': (
                "        self.plain = table\n"
                '        self.register_buffer("table", table.clone(), persistent=False)\n'
            ),
            "x + self.table[: x.shape[1]]": "x + self.plain[: x.shape[1]].to(x)",
        },
        price="edge",
    ),
    Misconception(
        name="positions_start_again",
        sentence=(
            "Your positions start again at 0 after a thousand of them, so that two positions have "
            "the same mark. Every position has one of its own."
        ),
        replaced={
            "position = torch.arange(max_len).unsqueeze(1)": (
                "position = torch.arange(max_len).unsqueeze(1) % 1000"
            )
        },
        price="edge",
    ),
    Misconception(
        name="cut_by_the_size_of_the_vectors",
        sentence=(
            "You take as many encodings as a vector has numbers. Ask which axis of x counts the "
            "positions: an example where two sizes agree does not tell."
        ),
        replaced={
            "x.shape[1]": "x.shape[-1]",
        },
        price="mathematics",
    ),
    Misconception(
        name="positions_from_the_end",
        sentence=(
            "Your marks stand in the opposite order, so that the last position of a sequence has "
            "the mark of position 0. Positions count from the front, also where a sequence is to "
            "be reversed."
        ),
        replaced={
            "x + self.table[: x.shape[1]]": "x + self.table[: x.shape[1]].flip(0)",
        },
        price="mathematics",
    ),
    Misconception(
        name="one_pair_too_few_in_the_exponent",
        sentence=(
            "Your waves become slow too fast, since you share the exponent out among one pair "
            "less than there are. Compare what your exponent and the formula divide by."
        ),
        replaced={
            "2) / d_model)": "2) / max(d_model - 2, 1))",
        },
        price="mathematics",
    ),
    Misconception(
        name="refuses_the_longest",
        sentence=(
            "You refuse a sequence that is as long as the table. It is long enough for that one, "
            "too."
        ),
        code="""class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        angle = position / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        table = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
        self.register_buffer("table", table, persistent=False)

    def forward(self, x):
        assert x.shape[1] < len(self.table), "too long"
        return x + self.table[: x.shape[1]]
""",
        price="edge",
    ),
    Misconception(
        name="exponent_spread_over_all_but_one",
        sentence=(
            "Your exponents are spread over one column less than there are. See what the formula "
            "divides by."
        ),
        code="""class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        angle = position / 10000 ** (torch.arange(0, d_model, 2) / max(d_model - 1, 1))
        table = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
        self.register_buffer("table", table, persistent=False)

    def forward(self, x):
        return x + self.table[: x.shape[1]]
""",
        price="mathematics",
    ),
    Misconception(
        name="table_of_5000_at_most",
        sentence="You limit the table to 5,000 positions. It has `max_len`, whatever that is.",
        code="""class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000):
        super().__init__()
        position = torch.arange(0, min(max_len, 5000), dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(
            torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model)
        )
        pe = torch.zeros(1, len(position), d_model)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe, persistent=False)

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]
""",
    ),
    Misconception(
        name="sines_and_cosines_exchanged",
        sentence=(
            "You have cosines where sines belong, and the other way round. The first column is a "
            "sine, and is 0 at the first position."
        ),
        replaced={
            "[angle.sin(), angle.cos()]": "[angle.cos(), angle.sin()]",
        },
        price="mathematics",
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
        name="exponent_doubled",
        sentence=(
            "Your exponents grow twice as fast as those of the formula: 0, 2, 4 and so on are 2i "
            "already, and all of them are divided by the size."
        ),
        replaced={
            "(torch.arange(0, d_model, 2) / d_model)": (
                "(2 * torch.arange(0, d_model, 2) / d_model)"
            ),
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
            "torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)": (
                "angle.repeat_interleave(2, dim=1)\n"
                "        table = torch.where(position % 2 == 0, table.sin(), table.cos())"
            ),
        },
        price="mathematics",
    ),
]
