"""Sentences of this assignment alone that a student can read."""

from __future__ import annotations

from autograder.checking import wording

NOT_THREE = "`encode_sentence` does not return three things: tokens, ids and the decoded text."
NOT_A_MAPPING = (
    "`encode_batch` does not return a mapping that holds tensors as `input_ids` and "
    "`attention_mask`."
)
OTHER_TOKENS = "The tokens are not those that the ids stand for."
NOTHING_SPECIAL = "The decoded text does not hold all tokens, the special ones too."
NOT_AS_SHORT = "A batch is not as long as its longest sentence, with its special tokens."
NOT_CUT = "A sentence with too many tokens is not cut to max_length, special tokens included."
NOT_PADDING = "`attention_mask` is not 1 at the tokens of the sentences and 0 at the padding."
NOT_WHOLE_NUMBERS = "`{name}` should hold integers."

NOT_ONE_TABLE = "The module does not have one table as its only parameter, a row for each id."
NOT_ITS_ROWS = "The output is not made of the rows of the table that the ids name."
ALL_ALIKE = "The vectors of different tokens are the same."
NOT_TRAINED = "The gradient does not reach the rows that were used, all of them and only them."

TRAINED = wording.NOTHING_TO_TRAIN
NO_BUFFER = wording.NO_PE
NOT_ITS_ENCODING = wording.NOT_ROWS_OF_PE
NOT_THE_SHARE = "In training the share of dropped numbers is not `dropout`, 0.1 by default."
NOT_DROPPED = (
    "In training dropout does not act where the question says: each number there should be either "
    "0 or what it is in eval mode, scaled up."
)
DROPS_IN_EVAL = "In eval mode the output is not the same each time."

WHOLE_CALLED = "The model, or its embeddings as a whole, was called: put the parts together."

SUMS = wording.SUM_NOT_ONE
NEGATIVE = wording.BELOW_ZERO
NOT_SCALED = wording.OTHER_PROPORTIONS
NOT_MIXED = "The output is not the values summed with the weights."
NOT_HIDDEN = "A masked key has a weight other than 0."
NOT_SHARED_OUT = "What masked keys lose does not go to the other keys of the row, in proportion."
OTHER_DTYPE = "With {kind} inputs, `{name}` is not of dtype {kind}."

NOT_NAMED = "`{name}` is missing, or its shape is not what the question gives."
MASK_WITHOUT_EFFECT = "Masked positions still change the output."
NOT_BEFORE_DROPOUT = "In training the weights returned are not those before the dropout."
POSITIONS_MIX = "The output at a position depends on other positions."
NO_RESIDUAL = "When both blocks put out zeros, the output is not the input, normalised twice."

NOT_BOOLEAN = "The mask is not boolean."
NOT_ITSELF = "A position may not attend to itself."
FUTURE_SEEN = "A position may attend to a later one."
NOT_THE_MASK = "The mask is not true exactly at the position itself and at those before it."
NOT_WITH_ATTENTION = "With your attention the mask does not hide the future."

NOT_ONE = "The probabilities of a position do not sum to 1 over the vocabulary."
NOT_THE_BEST = "A token id is not that of the largest logit of its position."
