"""Sentences that checks of several assignments say about positions and dropout.

What checks of every kind say stands in `autograder.results.sentences`.
"""

from __future__ import annotations

from autograder.checking.failures import Seen

# encodings of positions
NO_PE = "The module has no buffer that is called `pe`."
NOTHING_TO_TRAIN = "The module has parameters; the encoding is fixed, so there is nothing to train."
UNUSED_BUFFER = Seen(
    "What is added to `x` does not come from the buffer.",
    "unused_buffer",
    "A tensor that is a plain attribute of a module does not move with it. Add what is registered.",
)

# dropout
NOT_DROPPED = "In training, nothing of what the question wants to be dropped is zero."
OTHER_SHARE = "In training another share is dropped than the dropout probability says."
NOT_RESCALED = "In training what is not dropped is not made larger as dropout does it."
DROPS_IN_EVALUATION = "In evaluation something is dropped, or scaled."

# predictions
PICK_A_CHOICE = (
    "Copy one of the choices from the text as it stands there, and put it between quotation marks."
)
