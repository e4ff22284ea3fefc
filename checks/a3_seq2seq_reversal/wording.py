"""What the checks of this assignment say to students, beside the general sentences."""

from __future__ import annotations

from autograder.checking import wording

PAD_MOVED = "`PAD_ID` is given; it should stay as it is."
NOT_WHOLE = "`BOS_ID` and `EOS_ID` should be whole numbers."
IDS_COLLIDE = "Two of the three special ids are the same."
ID_OF_A_TOKEN = "`BOS_ID` or `EOS_ID` is an id that a real token can have, or below 0."
LISTS_CHANGED = "`pad_sequences` changed the lists that it was given."

NO_BUFFER = wording.NO_PE
TRAINED = wording.NOTHING_TO_TRAIN

NO_COMBINING = "The two masks cannot be combined with `&`: look at their shapes and dtypes."

NOT_FINITE_GRADIENT = "Where a query may attend to nothing, the gradient is NaN or infinite."
HIDDEN_WEIGHS = "A key that a query may not attend to has a weight."
NOT_EMPTY = "A query that may attend to nothing should get zeros, as weights and as output."
SUMS = "The weights of a query do not sum to 1 over the keys that it may attend to."

DEFAULTS = "With no other arguments than vocab_size the model has not the sizes of the question."
NO_PADDING_INDEX = (
    "There should be two embeddings, each with the padding id as its `padding_idx`, so that the "
    "vector of padding is zero and stays it."
)
PADDING_MATTERS = "More padding at the end of a batch changes the logits of real tokens."

NOT_A_NUMBER = "The loss is not returned as a number."
NOT_SHIFTED = "The decoder did not get the targets shifted right, after one bos_id."
PADDING_COUNTS = "Padding in the targets changes the loss."
NOT_TRAINING = "The model was not in training mode when it answered."
LEFT_EVALUATING = "A model that was in training mode is left in evaluation mode."

NOT_LISTS = "The answer is not a list with one list of Python ints for each sequence."
FRAMED = "The lists should not hold the BOS put in front, nor EOS, nor anything said after EOS."
TOO_LONG = "A list is longer than max_len."
TOO_SHORT = "A sequence that does not say EOS should have max_len tokens."
ENCODED_AGAIN = "The source is not encoded exactly once."
DECODED_ON = "The decoder runs more often than it has to."
TOO_FEW_STEPS = (
    "The decoder is not asked once for each new token, though what comes next rests on all before."
)
WITH_GRADIENTS = "The model runs with gradients, which are not needed here."
NOT_EVALUATING = "The model was not in evaluation mode when it answered."
NOT_GREEDY = "The tokens are not those that your `Transformer` scores highest, step by step."

NO_LIST = "`cross_attention` should return a list."
HOOKS_LEFT = (
    "After the call the model has other hooks than before: one of yours is left, or one that was "
    "not yours is gone."
)

NO_PREDICTION = "`PREDICTION` should be a dictionary of words."
OTHER_PARTS = "The keys of `PREDICTION` are not the names of the three parts."
OTHER_CHOICES = "A value of `PREDICTION` is none of the three choices."

NO_HANDLES = "`take_out` should return a list of the handles of its hooks."
NOTHING_TAKEN_OUT = "While the hooks are there the model answers as it does without them."
NOT_PUT_BACK = "After all handles were removed, the model does not answer as before."
