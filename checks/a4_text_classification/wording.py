"""Sentences of this assignment's own that students read."""

from __future__ import annotations

from collections.abc import Iterable

from autograder.checking import Seen, wording


def columns(found: Iterable[str]) -> str:
    names = ", ".join(found) or "nothing"
    return f"The dict should hold `input_ids`, `attention_mask` and `labels`; yours holds {names}."


NO_DICT = Seen(
    "Your code returned no dict.",
    "no_dict",
    "Return one dictionary, with a tensor under each of the three names.",
)
OTHER_LABELS = Seen(
    "The labels are not handed on as they came.",
    "other_labels",
    "Labels are only turned into a tensor: not sorted, not counted anew.",
)


def with_another_tokenizer(said: str) -> Seen:
    return Seen(
        f"With another tokenizer: {said}",
        "other_tokenizer",
        "With a tokenizer like the notebook's it is right. All that is special about one, ids and "
        "names of tokens too, has to be asked of the tokenizer that is handed in.",
    )


NO_END = "A truncated text does not end with the token that closes a text."
CHANGED_GIVEN = Seen(
    "What was handed in is not as it was before.",
    "changed_given",
    "Look for `pop`, `del`, `append`, for entries that are set, and for settings of the tokenizer.",
)
REMEMBERS_TEXTS = Seen(
    "A later call with the same texts gives another result.",
    "forgets",
)

NO_DATASET = Seen(
    "`HeadlineDataset` is no `torch.utils.data.Dataset`.",
    "no_dataset",
    "Your class has to be derived from the one of PyTorch that the question names.",
)
OTHER_LENGTH = Seen(
    "The length of the dataset is not the number of its headlines.",
    "other_length",
    "A dict has as many entries as it has columns. Ask one of the columns.",
)
OTHER_NAMES = Seen(
    "An item does not have the names of the columns.",
    "other_names",
    "An item is a dictionary with the same keys as the columns, whatever they are called.",
)
OTHER_ROW = "An item does not hold its own row of every column."
ROW_RESHAPED = Seen(
    "An item holds the numbers of its row in another shape than they have in the column.",
    "row_reshaped",
    "An index takes the first axis away, and all others stay: nothing is flattened, squeezed, or "
    "given one more.",
)
ROW_CONVERTED = Seen(
    "An item holds the numbers of its row in another dtype than the column has.",
    "row_converted",
    "Whoever uses the items decides about dtypes: hand on what the column holds.",
)
KNOWS_ANOTHER = Seen(
    "A second dataset changes what the first one gives.",
    "knows_another",
    "What belongs to one dataset is kept at `self`, not at the class nor in a global.",
)
OTHER_PLACE = "An item does not lie on the device of its columns."
NO_BATCHES = "The batches that a `DataLoader` makes of the items are not those of the columns."

WEIGHT_ON_PADDING = (
    "Where scores are far below zero, the weights are not 0 at padding and evenly spread elsewhere."
)
NOT_DROPPED = wording.NOT_DROPPED
NOT_AS_DROPOUT = (
    "In training weights are not dropped with the probability that `dropout` says, or what is left "
    "is not made larger as dropout does it."
)
OTHER_SUM = "Where `to_values` gives 1 everywhere, what comes out of the heads is not 1."
DROPS_IN_EVALUATION = wording.DROPS_IN_EVALUATION
OTHER_SHARE = wording.OTHER_SHARE

FOUR_LAYERS = Seen(
    "Found no linear layers `to_queries`, `to_keys`, `to_values` (without bias) and "
    "`unify_heads` (with bias), all from embed_dim to embed_dim.",
    "other_layers",
    wording.COMPARE_LAYERS,
)

NO_SELF_ATTENTION = Seen(
    "The block does not own a `SelfAttention`.",
    "no_self_attention",
    "The block is made of what you wrote before. Keep it as an attribute of the module.",
)
OTHER_DROPOUT = Seen(
    "In training dropout does not act just where the parts have it: something else is dropped, or "
    "with another probability.",
    "other_dropout",
    "The attention brings a dropout of its own. Look for another, and for a probability that "
    "is set.",
)
NOT_NORMALISED = "A fresh block does not answer with vectors of mean 0 and variance 1."
DROPS_ELSEWHERE = wording.DROPS_ELSEWHERE
DROPS_ALIKE = "In training all heads, or all sequences of a batch, drop the same weights."

TRAINED = wording.NOTHING_TO_TRAIN
NO_BUFFER = Seen(
    "The encodings are not kept in a buffer.",
    "no_buffer",
    "A plain attribute stays behind when the module moves. Register the table.",
)
OTHER_BUFFER = Seen(
    "No buffer holds the encodings of max_len positions.",
    "other_buffer",
    "The table has as many rows as `max_len` says, whatever its default is.",
)

OTHER_BLOCKS = Seen(
    "The model does not own as many `TransformerBlock` as depth says.",
    "other_blocks",
    "How many blocks there are is an argument. PyTorch has a list for modules.",
)
ONE_TABLE = Seen(
    "The model does not hold one `nn.Embedding`.",
    "one_table",
    "The tokens need a table of vectors that are learned. Positions have none here.",
)
NOT_LOG_PROBABILITIES = Seen(
    "The output does not hold log-probabilities: their exponentials do not sum to 1 over the "
    "classes of each headline.",
    "not_log_probabilities",
    "Over which axis do the probabilities of one headline sum to 1? And is it their logarithm "
    "that you return?",
)
UNSAFE_LOGARITHM = Seen(
    "Where the model is certain, a log-probability is NaN, infinite or cut off: the logarithm was "
    "taken of a probability that had become 0, or nearly.",
    "unsafe_logarithm",
    "torch has one function for softmax and logarithm together, which is safe.",
)
NO_OPINION = "The output is the same for every headline."
OTHER_SHAPE = "The table of tokens does not start normally distributed."
OTHER_START = "The table of tokens does not start with the standard deviation of the question."

NO_PAIR = Seen(
    "`evaluate` does not return a pair (loss, accuracy) of two Python floats.",
    "no_pair",
    "Return two numbers of Python, not tensors: see what `item` does.",
)
OTHER_LOSS = "The loss is not the mean over all headlines."
OTHER_ACCURACY = "The accuracy is not the share of all headlines that were told right."
WITH_GRADIENTS = Seen(
    "The model runs with gradients switched on.",
    "with_gradients",
    "Measuring needs no graph: torch can be told not to record one, for the length of a block.",
)
IN_TRAINING = Seen(
    "The model does not run in evaluation mode.",
    "in_training",
    "Dropout acts in training mode. Set the other mode before the first batch.",
)
OTHER_MODE = Seen(
    "The model is not left in the mode in which it came.",
    "other_mode",
    "It came in one of two modes. Remember which, and restore it in all parts of the model when "
    "you are done: to set the attribute reaches the outermost module alone.",
)
NOT_ONCE = Seen(
    "Not every batch of the loader goes through the model once.",
    "not_once",
    "One loop over the loader, with one call of the model for each batch, is enough.",
)
CHANGED_MODEL = Seen(
    "The parameters of the model, their gradients or whether they are trained were changed.",
    "changed_model",
    "Measuring asks for no `backward`, no step, and no change of `requires_grad`.",
)
CHANGED_BATCH = Seen(
    "A batch of the loader was changed.",
    "changed_batch",
    "Look for `pop`, for entries that are set, and for changes in place.",
)
OTHER_RATE = Seen(
    "The optimizer has another learning rate than it came with.",
    "other_rate",
    "The optimizer comes with its settings. Call `zero_grad` and `step`, and set nothing.",
)
DRAWS = Seen("A call draws random numbers, or sets a seed.", "drew")
LEFT_SWITCHES = Seen(
    "A switch of torch, or its random numbers, were left otherwise than they were.",
    "world",
)
REMEMBERS = Seen(
    "A later call with the same loader gives other numbers.",
    "forgets",
)

NO_LIST_OF_FLOATS = Seen(
    "The losses are not a list of as many Python floats as there are steps.",
    "no_list_of_floats",
    "A tensor that holds one number can hand it over as a number of Python. There is one for "
    "each step.",
)
NOTHING_RAISES = Seen(
    "With `steps` 0 there should be an empty list, and there is an error, or nothing at all.",
    "nothing_raises",
    "See what your code does where the loop is never entered: some functions take no empty list, "
    "and what the loop sets is not there.",
)
STEP_FOR_NOTHING = Seen(
    "With `steps` 0 there should be no step and no loss: an empty list.",
    "step_for_nothing",
    "A loop that looks at its end only after a step makes one too many where none is asked for.",
)
OTHER_NUMBER_OF_STEPS = Seen(
    "The optimizer that was handed in makes another number of steps than `steps`.",
    "other_number_of_steps",
    "Behind each loss this optimizer makes one step, and none before the first: count how often "
    "the loop comes to it.",
)
STOPS_EARLY = Seen(
    "A batch that the model knows already gets fewer losses than there are steps.",
    "stops_early",
    "The number of steps is given: no loss, however small, ends the loop.",
)
NOT_CALLED = Seen(
    "The model is not called, or only its `forward`, which skips its hooks.", "by_forward"
)
ROUNDED = Seen(
    "The first loss is near the right one, and not the same.",
    "rounded",
    "It is the loss of the whole batch, with the weights as they came, and what `item` gives is "
    "returned as it is: whoever prints a number can round it.",
)
