"""Every sentence that checks of this assignment alone say to students.

Those that other assignments say as well stand in `autograder.checking.wording`.
"""

from __future__ import annotations

from autograder.checking import wording

# positional_encoder
NO_BUFFER = wording.NO_PE
TRAINED = wording.NOTHING_TO_TRAIN
OTHER_SCALE = "The scale of x is not right."
OTHER_GRADIENT_SCALE = "The gradient that reaches x does not fit the scale of x."
OTHER_ROWS = wording.NOT_ROWS_OF_PE

# positional_encoder_plot
NOT_CALLED = "`plot_pe` was not called, so there is no plot to look at."
OTHER_DIMENSIONS = "`hidden_dims` does not name the dimensions that the question asks for."
OTHER_COLUMNS = "The plotted values are not the columns of these dimensions."

# attention
BELOW_ZERO = wording.BELOW_ZERO
SUM_NOT_ONE = wording.SUM_NOT_ONE
OTHER_PROPORTIONS = wording.OTHER_PROPORTIONS
NOT_THE_MIXTURE = "The output is not the values summed with the weights in `att_values`."
ALL_ZERO = "All weights are zero."
DEPENDS_ON_KEY_ORDER = "The output depends on the order of the keys."
WEIGHTS_STAY_BEHIND = "The weights do not move along with queries and keys."

# self_attention, cross_attention, masked_attention
NO_LAYERS = (
    "Found no three linear layers, one each for queries, keys and values, with the sizes that the "
    "question gives and with their usual bias."
)
NOT_ITS_SIZE = "The module's attribute `output_dim` does not hold the size of its output."
IGNORES_X_ORDER = wording.IGNORES_ORDER
DEPENDS_ON_Y_ORDER = "The output depends on the order of y."
SEQUENCES_MIX = wording.SEQUENCES_MIX
SEES_THE_FUTURE = "An output depends on a position that comes after it."
MISSES_THE_PAST = wording.MISSES_THE_PAST

# multi_headed_attention
HEADS_NOT_LISTED = "`modules()` does not list each of the heads once."
NO_SINGLE_LAYER = (
    "Found no single linear layer, with its usual bias, from the sum of the heads' sizes to "
    "final_output_dim."
)
NOT_THE_MIXED_HEADS = "The output is not what the last layer makes of the heads."
