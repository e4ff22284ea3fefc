"""Every sentence that checks of this assignment alone say to students.

Those that other assignments say as well stand in `autograder.checking.wording`.
"""

from __future__ import annotations

from collections.abc import Sequence

from autograder.checking import Seen, wording

# positional_encoder
NO_BUFFER = Seen(
    wording.NO_PE,
    "no_pe",
    "A tensor that belongs to a module and is not learned is registered, under its name.",
)
TRAINED = wording.NOTHING_TO_TRAIN
UNUSED_BUFFER = wording.UNUSED_BUFFER

# positional_encoder_plot
NO_PLOT = "there is no plot to look at"
NOT_CALLED = f"`plot_pe` was not called, so {NO_PLOT}."
OTHER_DIMENSIONS = Seen(
    "`hidden_dims` does not name the dimensions that the question asks for.",
    "other_dimensions",
    "The names of the four dimensions stand in the question as they are counted there, from 1. One "
    "call of `plot_pe`, among the last 16, draws all four.",
)


def other_columns(places: Sequence[int]) -> Seen:
    """`places` are those of the table that were plotted, counted from 1."""
    listed = ", ".join(map(str, places))
    return Seen(
        f"The columns of `pe_vals` are {listed} of the right table, counted from 1, in this order.",
        "other_columns",
        "Compare the four one by one: a dimension that is counted from 1 has an index that is one "
        "less.",
    )


# masked_attention
FUTURE_SEEN = "With other numbers behind it the first position answers otherwise."
FINITE_MASK = Seen(
    "Where scores are vast and negative, the first position sees what comes later.", "finite_mask"
)
ZERO_HIDDEN = Seen(
    "Where all queries are zero the output is NaN, or not the mean of the values so far.",
    "zero_hidden",
    "A score of 0 is a score like any other. Make the mask of places, not of scores.",
)

# multi_headed_attention
HEADS_NOT_LISTED = Seen(
    "`parameters()` of the module does not list those of its heads.",
    "unregistered",
)
HEADS_NO_PARTS = Seen(
    "The parameters of the heads are part of the module, and the heads are not.",
    "heads_no_parts",
    "`train()`, `eval()` and what else a module hands on to its parts do not reach them.",
)
HEADS_CHANGED = Seen(
    "The heads do not have the weights or the mode any more with which they came.",
    "heads_changed",
    "Who hands heads over may have trained them. A loop over all parameters of the module reaches "
    "those of its heads as well.",
)
HEADS_NOT_REACHED = "The gradient of the output does not reach every head."
