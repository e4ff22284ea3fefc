"""Every sentence that checks of this assignment alone say to students.

Those that other assignments say as well stand in `autograder.checking.wording`.
"""

from __future__ import annotations

from autograder.checking import Seen, wording

# positional_encoder
NO_BUFFER = Seen(
    wording.NO_PE,
    "no_pe",
    "A tensor that belongs to a module and is not learned is registered, under its name.",
)
TRAINED = wording.NOTHING_TO_TRAIN

# positional_encoder_plot
NOT_CALLED = "`plot_pe` was not called, so there is no plot to look at."
OTHER_DIMENSIONS = "`hidden_dims` does not name the dimensions that the question asks for."
OTHER_COLUMNS = "The plotted values are not the columns of these dimensions."

# multi_headed_attention
HEADS_NOT_LISTED = Seen(
    "`parameters()` of the module does not list those of its heads.",
    "unregistered",
)
HEADS_NOT_REACHED = "The gradient of the output does not reach every head."
