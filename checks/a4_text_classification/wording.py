"""Sentences of this assignment's own that students read."""

from __future__ import annotations

from collections.abc import Iterable

from autograder.checking import wording


def columns(found: Iterable[str]) -> str:
    names = ", ".join(found) or "nothing"
    return f"The dict should hold `input_ids`, `attention_mask` and `labels`; yours holds {names}."


NO_DICT = "Your code returned no dict."
OTHER_LABELS = "The labels are not handed on as they came."
NO_END = "A truncated text does not end with the token that closes a text."
OTHER_WIDTH = "Without `max_length` the ids are not as wide as the question says."

CHANGED_GIVEN = "What was handed in is not as it was before."
REMEMBERS_TEXTS = "A later call with the same texts gives another result."

NO_DATASET = "`HeadlineDataset` is no `torch.utils.data.Dataset`."
OTHER_LENGTH = "The length of the dataset is not the number of its headlines."
OTHER_NAMES = "An item does not have the names of the columns."
OTHER_ROW = "An item does not hold its own row of every column."
KNOWS_ANOTHER = "A second dataset changes what the first one gives."
OTHER_PLACE = "An item does not lie on the device of its columns."
NO_BATCHES = "A `DataLoader` cannot make batches of the items."

WEIGHT_ON_PADDING = (
    "Where scores are far below zero, the weights are not 0 at padding and even elsewhere."
)
NOT_DROPPED = wording.NOT_DROPPED
NOT_AS_DROPOUT = (
    "In training weights are not dropped with the probability that `dropout` says, or what is left "
    "is not made larger as dropout does it."
)
OTHER_SUM = "Where `to_values` gives 1 everywhere, what comes out of the heads is not 1."
DROPS_IN_EVALUATION = wording.DROPS_IN_EVALUATION
OTHER_SHARE = wording.OTHER_SHARE

FOUR_LAYERS = (
    "Found no linear layers `to_queries`, `to_keys`, `to_values` (without bias) and `unify_heads` "
    "(with bias), all from embed_dim to embed_dim."
)

OTHER_DROPOUT = (
    "In training dropout does not act just where the parts have it: something else is dropped, or "
    "with another probability."
)
NOT_NORMALISED = "A fresh block does not answer with vectors of mean 0 and variance 1."
DROPS_ELSEWHERE = "In training something besides the weights of the attention is dropped."

TRAINED = wording.NOTHING_TO_TRAIN
NO_BUFFER = "The encodings are not kept in a buffer."
OTHER_BUFFER = "No buffer holds the encodings of max_len positions."

OTHER_BLOCKS = "The model does not own as many `TransformerBlock` as depth says."
ONE_TABLE = "The model does not hold one `nn.Embedding`."
NOT_LOG_PROBABILITIES = (
    "The output does not hold log-probabilities: their exponentials do not sum to 1 over the "
    "classes of each headline."
)
UNSAFE_LOGARITHM = (
    "Where the model is certain, a log-probability is NaN or infinite: the logarithm was taken of "
    "a probability that had become 0."
)
NO_OPINION = "The output is the same for every headline."
OTHER_SHAPE = "The table of tokens does not start normally distributed."
OTHER_START = "The table of tokens does not start with the standard deviation of the question."

NO_PAIR = "`evaluate` does not return a pair (loss, accuracy) of two Python floats."
OTHER_LOSS = "The loss is not the mean over all headlines."
OTHER_ACCURACY = "The accuracy is not the share of all headlines that were told right."
WITH_GRADIENTS = "The model runs with gradients switched on."
IN_TRAINING = "The model does not run in evaluation mode."
OTHER_MODE = "The model is not left in the mode in which it came."
NOT_ONCE = "Not every batch of the loader goes through the model once."
CHANGED_MODEL = (
    "The parameters of the model, their gradients or whether they are trained were changed."
)
CHANGED_BATCH = "A batch of the loader was changed."
LEFT_SWITCHES = "A switch of torch, or its random numbers, were left otherwise than they were."
REMEMBERS = "A later call with the same loader gives other numbers."

NO_LIST_OF_FLOATS = "The losses are not a list of as many Python floats as there are steps."
STOPS_EARLY = "A batch that the model knows already gets fewer losses than there are steps."
NOT_CALLED = "The model is not called, or only its `forward`, which passes its hooks over."
