"""Known wrong answers to `positional_encoder_plot`."""

from __future__ import annotations

from autograder.checking import Misconception

ENCODER = "PositionalEncoder(64, max_seq_len=32)"
COLUMNS = "encoder.pe[0, :, [dim - 1 for dim in hidden_dims]]"
CALL = "plot_pe(pe_vals, hidden_dims)"

MISCONCEPTIONS = [
    Misconception(
        "columns_counted_from_zero",
        "You used the numbers of the dimensions as Python indices, so each line shows the column "
        "after the one it is named for. Look at where the question starts to count.",
        {"dim - 1": "dim"},
        price="mathematics",
    ),
    Misconception(
        "labels_counted_from_zero",
        "You plotted the right columns under names that count from 0. Look at where the question "
        "starts to count.",
        {CALL: "plot_pe(pe_vals, [dim - 1 for dim in hidden_dims])"},
        price="edge",
    ),
    Misconception(
        "first_columns",
        "You plotted the first columns of the table whatever their names. Look at which dimensions "
        "the question asks for.",
        {COLUMNS: "encoder.pe[0, :, :4]"},
        price="mathematics",
    ),
    Misconception(
        "whole_table",
        "You handed over the whole table. Each dimension that you name has one column in "
        "`pe_vals`, and there are no others.",
        {COLUMNS: "encoder.pe[0]"},
        price="mathematics",
    ),
    Misconception(
        "dimensions_as_rows",
        "Your `pe_vals` has a row for each dimension. Look at the shape that `plot_pe` expects: "
        "the positions run downwards.",
        {COLUMNS: f"{COLUMNS}.T"},
        price="mathematics",
    ),
    Misconception(
        "positions_instead_of_dimensions",
        "You took rows of the table, which are positions. A hidden dimension is a column.",
        {COLUMNS: "encoder.pe[0, [dim - 1 for dim in hidden_dims]]"},
        price="mathematics",
    ),
    Misconception(
        "leading_axis_kept",
        "Your `pe_vals` still has the buffer's axis for the batch. Look at the shape that "
        "`plot_pe` expects.",
        {"encoder.pe[0, :,": "encoder.pe[:, :,"},
        price="mathematics",
    ),
    Misconception(
        "default_length",
        "Your encoder has its default length, so the plot shows more positions than the question "
        "asks for. Look at what the question says about the encoder.",
        {ENCODER: "PositionalEncoder(64)"},
        price="mathematics",
    ),
    Misconception(
        "sizes_exchanged",
        "You exchanged the number of dimensions and the length of your encoder. Look at the order "
        "of its arguments.",
        {ENCODER: "PositionalEncoder(32, max_seq_len=64)"},
        price="mathematics",
    ),
    Misconception(
        "encoder_of_the_example",
        "Your encoder has the size of the example in question 1, where the waves have other "
        "lengths. Look at what this question says about the encoder.",
        {ENCODER: "PositionalEncoder(512, max_seq_len=32)"},
        price="mathematics",
    ),
    Misconception(
        "as_many_dimensions_as_positions",
        "Your encoder has as many dimensions as positions are drawn, so its waves have other "
        "lengths. Look at what the question says about its size, and which argument comes first.",
        {ENCODER: "PositionalEncoder(32, max_seq_len=32)"},
        price="mathematics",
    ),
    Misconception(
        "columns_reshaped",
        "You reshape a table whose rows are the dimensions, so numbers of several positions come "
        "into one row. A reshape keeps the order of the numbers; a transposition does not.",
        {COLUMNS: f"{COLUMNS}.T.reshape(-1, len(hidden_dims))"},
        price="mathematics",
    ),
    Misconception(
        "sines_before_cosines",
        "You put the sines before the cosines, so two columns stand under each other's names. "
        "The columns of `pe_vals` have the order of the names.",
        {COLUMNS: "encoder.pe[0, :, [0, 6, 1, 15]]"},
        price="mathematics",
    ),
    Misconception(
        "marks_on_ones",
        "You send ones through the encoder, so each number of your plot is the mark plus a scaled "
        "one. The question asks for the marks alone, which your module keeps.",
        {COLUMNS: "encoder(torch.ones(1, 32, 64))[0][:, [dim - 1 for dim in hidden_dims]]"},
        price="mathematics",
    ),
    Misconception(
        "later_columns_counted_from_zero",
        "Your first two columns are right and the other two each stand one column too far to the "
        "right. The question counts all four numbers in the same way.",
        {COLUMNS: "encoder.pe[0, :, [0, 1, 7, 16]]"},
        price="mathematics",
    ),
    Misconception(
        "third_column_counted_from_zero",
        "Three of your columns are right, and one stands one column too far to the right. The "
        "question counts all four numbers in the same way.",
        {COLUMNS: "encoder.pe[0, :, [0, 1, 7, 15]]"},
        price="mathematics",
    ),
    Misconception(
        "last_two_columns_exchanged",
        "Two of your columns stand under each other's names. The columns of `pe_vals` have the "
        "order of the names.",
        {COLUMNS: "encoder.pe[0, :, [0, 1, 15, 6]]"},
        price="mathematics",
    ),
    Misconception(
        "last_column_counted_from_zero",
        "Your last column stands one column too far to the right, the others are right. The "
        "question counts all four numbers in the same way.",
        {
            COLUMNS: "encoder.pe[0, :, [0, 1, 6, 16]]",
        },
        price="mathematics",
    ),
    Misconception(
        "positions_from_one",
        "Your plot begins with the second row of a longer table, so each position shows the "
        "marks of the next one. Positions count from 0, even where dimensions count from 1.",
        {
            ENCODER: "PositionalEncoder(64, max_seq_len=33)",
            COLUMNS: "encoder.pe[0, 1:, [dim - 1 for dim in hidden_dims]]",
        },
        price="mathematics",
    ),
    Misconception(
        "sizes_exchanged_and_transposed",
        "You exchanged the number of dimensions and the length of your encoder and then rows "
        "and columns of its table, so that the shape fits and the waves do not. Look at the "
        "order of its arguments.",
        {
            ENCODER: "PositionalEncoder(32, max_seq_len=64)",
            COLUMNS: "encoder.pe[0].T[:, [dim - 1 for dim in hidden_dims]]",
        },
        price="mathematics",
    ),
    Misconception(
        "last_positions",
        "You plot the last positions of a longer table. Look at what the question says about "
        "the encoder, and from where positions count.",
        {
            ENCODER: "PositionalEncoder(64)",
            COLUMNS: "encoder.pe[0, -32:, [dim - 1 for dim in hidden_dims]]",
        },
        price="mathematics",
    ),
    Misconception(
        "later_columns_of_the_next_pair",
        "Your first two columns are right, the other two each come from the next pair of a "
        "sine and a cosine. The pairs count from 0, even where the dimensions count from 1.",
        {
            COLUMNS: "encoder.pe[0, :, [0, 1, 8, 17]]",
        },
        price="mathematics",
    ),
    Misconception(
        name="one_column_from_its_pair",
        sentence=(
            "You take one of the columns by the number of its pair. The dimensions of the text "
            "are counted from 1, one for each column."
        ),
        code="""enc = PositionalEncoder(d_model=64, max_seq_len=32)
hidden_dims = [1, 2, 7, 16]
table = enc.pe[0]
pe_vals = torch.stack([table[:, 0], table[:, 1], table[:, 8], table[:, 15]], dim=1)
plot_pe(pe_vals, hidden_dims)
""",
        price="mathematics",
    ),
    Misconception(
        name="every_other_position",
        sentence="You show every other position. Each position of the table has its row.",
        code="""pe = PositionalEncoder(64, 64).pe[0, ::2]
plot_pe(pe[:, [0, 1, 6, 15]], [1, 2, 7, 16])
""",
        price="mathematics",
    ),
    Misconception(
        name="as_many_dimensions_as_shown",
        sentence=(
            "Your encoder has only as many dimensions as the last one that is shown. How many it "
            "has changes what each of its columns holds: take the number that the question gives."
        ),
        code="""dims = [1, 2, 7, 16]
enc = PositionalEncoder(max(dims), max_seq_len=32)
vals = torch.stack([enc.pe[0, :, d - 1] for d in dims], dim=1)
plot_pe(vals, dims)
""",
        price="mathematics",
    ),
    Misconception(
        name="table_sent_through_the_encoder",
        sentence=(
            "You send the table itself through the encoder, which multiplies it and adds it once "
            "more. The columns are those of the buffer."
        ),
        replaced={
            "encoder.pe[0, :, [dim - 1 for dim in hidden_dims]]": (
                "encoder(encoder.pe)[0][:, [dim - 1 for dim in hidden_dims]]"
            ),
        },
        price="mathematics",
    ),
]
