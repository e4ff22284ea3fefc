"""Sentences that checks of several assignments say about positions and dropout.

What checks of every kind say stands in `autograder.results.sentences`.
"""

from __future__ import annotations

from autograder.checking.failures import Seen

# encodings of positions
NO_PE = "The module has no buffer that is called `pe`."
NOTHING_TO_TRAIN = "The module has parameters; the encoding is fixed, so there is nothing to train."
UNUSED_BUFFER = Seen(
    "With other numbers in the buffer, not just these are added to `x`.",
    "unused_buffer",
    "A tensor that is a plain attribute of a module does not move with it. Add what is registered.",
)

# dropout
NOT_DROPPED = Seen(
    "In training, nothing of what the question wants to be dropped is zero.",
    "nothing_dropped",
    "A dropout layer is made in `__init__` and called in `forward`, on what is to be dropped; what "
    "it returns is used. It sets numbers to 0.",
)
OTHER_SHARE = Seen(
    "In training numbers are not dropped one by one, each with the probability that dropout says.",
    "other_share_dropped",
    "The probability is the share that is dropped, not the one that stays. It has to reach the "
    "dropout as it is, 0 as well, and every number is dropped by itself.",
)
NOT_RESCALED = Seen(
    "In training what is not dropped is not made larger as dropout does it.",
    "not_rescaled",
    "Dropout divides what it keeps by 1 - p. It comes behind a softmax, and nothing is normalised "
    "after it.",
)
DROPS_IN_EVALUATION = Seen(
    "In evaluation something is dropped, or scaled.",
    "drops_in_evaluation",
    "A dropout layer knows the mode of its module. `dropout` as a function is told: "
    "`training=self.training`.",
)
DROPS_ELSEWHERE = Seen(
    "In training something besides the weights of the attention is dropped.",
    "drops_elsewhere",
    "Dropout acts on what the softmax gives, before the values are mixed with it. Queries, keys, "
    "values and outputs stay whole.",
)

# predictions
PICK_A_CHOICE = (
    "Copy one of the choices from the text as it stands there, and put it between quotation marks, "
    "by itself."
)

# layers that the text names
COMPARE_LAYERS = "Compare the names of your layers, their sizes and their biases with the text."
