"""Sentences that checks of several assignments say about attention, positions and dropout.

What checks of every kind say stands in `autograder.results.sentences`.
"""

from __future__ import annotations

from autograder.checking.assertions import Seen

# encodings of positions
NO_PE = "The module has no buffer that is called `pe`."
NOTHING_TO_TRAIN = "The module has parameters; the encoding is fixed, so there is nothing to train."
NOT_ROWS_OF_PE = "What is added to the input is not the first rows of `pe`."
UNUSED_BUFFER = Seen(
    "What is added to `x` does not come from the buffer.",
    "unused_buffer",
    "A tensor that is a plain attribute of a module does not move with it. Add what is registered.",
)

# weights of attention
BELOW_ZERO = "Some weights are below 0 or NaN."
SUM_NOT_ONE = "The weights of a query do not sum to 1 over the keys."
OTHER_PROPORTIONS = "The proportions of a query's weights do not follow from its scaled scores."

# what an output depends on
IGNORES_ORDER = "The output does not follow the order of x."
SEQUENCES_MIX = "The output of a sequence depends on the rest of the batch."
MISSES_THE_PAST = "An output does not depend on its own position or on one before it."

# dropout
NOT_DROPPED = "In training, nothing of what the question wants to be dropped is zero."
OTHER_SHARE = "In training another share is dropped than the dropout probability says."
NOT_RESCALED = "In training what is not dropped is not made larger as dropout does it."
DROPS_IN_EVALUATION = "In evaluation something is dropped, or scaled."
