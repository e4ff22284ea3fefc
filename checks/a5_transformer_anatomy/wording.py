"""Sentences of this assignment alone that a student can read."""

from __future__ import annotations

from autograder.checking import Seen, wording


def not_dropped(what: str) -> str:
    return f"In training nothing is dropped of what {what} puts out, before it is added."


def not_handed_on(block: str) -> Seen:
    return Seen(
        f"`{block}` does not drop with the `dropout` that the layer was made with.",
        "share_not_handed_on",
        "A part that is told no share takes its default. Hand `dropout` on to each part that "
        "drops.",
    )


OTHER_ROWS = "The vectors are not the rows of the table, or a call changes the table."
DROPS_TOGETHER = Seen(
    "In training what is dropped in one part of a tensor is dropped in another part, too.",
    "dropped_together",
    "Dropout decides for every number by itself: it acts on the whole tensor, and not on one that "
    "is smaller and then broadcast or repeated.",
)
BLOCKS_DROP_TOGETHER = Seen(
    "In training both blocks are dropped at the same places.",
    "one_pattern_for_two",
    "Each block is dropped by itself: a dropout layer that is called twice draws twice.",
)

NOT_THREE = Seen(
    "`encode_sentence` does not return three things: tokens, ids and the decoded text.",
    "not_three_things",
    "Behind `return` stand three things with commas between: tokens, ids, text.",
)
NO_LIST_OF_TOKENS = Seen(
    "The tokens are no list of strings.",
    "no_list_of_tokens",
    "The tokens are the pieces of the text, as strings, in a list.",
)
NO_LIST_OF_IDS = Seen(
    "The ids are no list of integers.",
    "no_list_of_ids",
    "The ids of one sentence are whole numbers one after the other: a list, or a tensor with one "
    "axis.",
)
NOT_A_MAPPING = Seen(
    "`encode_batch` does not return a mapping that holds tensors as `input_ids` and "
    "`attention_mask`.",
    "no_mapping",
    "What a call of the tokenizer returns will do, if it is asked for tensors.",
)
OTHER_TOKENS = "The tokens are not all pieces of the tokenizer's vocabulary."
NOTHING_SPECIAL = Seen(
    "The decoded text is not the whole sentence with the special tokens that the tokenizer adds.",
    "nothing_special",
    "Hand the text on as it is, decode all of its ids, and let the special tokens stand in what "
    "comes out.",
)
NOT_WHOLE_NUMBERS = "`{name}` should hold integers."
CHANGED_GIVEN = "What was handed in, or a switch of torch, is not as it was before."
REMEMBERS_TEXTS = Seen(
    "A second call with the same texts gives something else.",
    "forgets",
)

SAME_START = Seen(
    "Two tables start with the same numbers.",
    "same_start",
)
OTHER_START = "The table does not start normally distributed around 0 with variance 1."

TRAINED = wording.NOTHING_TO_TRAIN
NO_BUFFER = wording.NO_PE
DROPS_IN_EVALUATION = wording.DROPS_IN_EVALUATION

WHOLE_CALLED = Seen(
    "The model, or its embeddings as a whole, was called: put the parts together.",
    "whole_called",
    "The tables and the norm are attributes: call each of them by itself.",
)

HIDDEN_WEIGHS = Seen(
    "A masked key has a weight other than 0.",
    "hidden_weighs",
    "Hide a key in the scores, by the number that no score is below.",
)
NOT_SHARED_OUT = "What masked keys lose does not go to the other keys of the row, in proportion."

FOUR_LAYERS = Seen(
    "Found no linear layers `W_q`, `W_k`, `W_v` and `W_o`, all from d_model to d_model, with bias.",
    "other_layers",
    wording.COMPARE_LAYERS,
)
NOT_MIXED = "The output does not follow from the values and the weights that are returned."
OTHER_WEIGHTS = "In training the weights returned are not those of evaluation."
DROPS_ELSEWHERE = wording.DROPS_ELSEWHERE
NOT_BEFORE_DROPOUT = "In training the weights returned are not those before the dropout."

OTHER_HIDDEN = "Where both layers hand on what they get, the output is not GELU of the input."
DROPS_THE_OUTPUT = "In training numbers of the output are dropped, not of the hidden layer."

FOUR_PARTS = Seen(
    "Found no parts `attention`, `feed_forward`, `norm1` and `norm2` in the layer.",
    "other_parts",
    "Compare the names of your parts with those in the text, letter by letter.",
)
NO_NORMS = Seen(
    "`norm1` and `norm2` are no two `nn.LayerNorm` with a weight and a bias each.",
    "no_two_norms",
    "Make two of them, each with the size of the vectors.",
)
NO_RESIDUAL = (
    "Where the norms do nothing and one block puts out zeros, the output is not the input and what "
    "the other block puts out."
)

NOT_BOOLEAN = Seen(
    "The mask is not boolean.",
    "mask_not_boolean",
    "A mask says yes or no. A comparison gives booleans, and so does a table that is made with "
    "their dtype.",
)
OTHER_PAST = "With thousands of positions a row does not see itself and all before it."
LONG_PAST = Seen(
    OTHER_PAST,
    "long_past",
    "Of a few positions the mask is right. A table of a fixed size comes to an end, and numbers "
    "of few digits stop counting.",
)

OTHER_BEST = "In a large vocabulary, or among close logits, the ids are not those of the largest."

OTHER_BROADCAST = "A mask gives another result than the same mask written out for every head."

OTHER_LENGTHS = "After a call with another length the first positions get other encodings."

NO_PREDICTION = Seen(
    "`PREDICTION` is none of the five choices, letter by letter.",
    "no_prediction",
    wording.PICK_A_CHOICE,
)

NOTHING_SILENT = "With a head silent the model answers as before."
PARTS_LOST = Seen(
    "With a silent head the model no longer tells the attention of all layers: the hook gives "
    "back less than the layer answered with.",
    "parts_of_a_tuple_lost",
    "Give back a tuple of the new first part and all parts that came behind it.",
)
MAPS_CHANGED = Seen(
    "With a silent head a layer tells another attention than before: only what its heads put "
    "out changes, and the other parts of the tuple stay.",
    "maps_changed",
    "Put the zeros into the first part of the tuple alone.",
)
LEFT_BEHIND = Seen(
    "With all handles removed the model's state_dict has other entries than before.",
    "left_in_the_model",
    "Keep what the hook needs in the function around it, not at the model.",
)
NOT_GIVEN_BACK = Seen(
    "With all handles removed the model does not answer as before.",
    "not_given_back",
    "Change nothing but what the hook returns: then it is enough to remove the hook.",
)
OTHERS_GIVEN_BACK = Seen(
    "When one of two silent heads is given back, the other does not stay silent.",
    "others_given_back",
    "Each call makes a hook of its own, and returns the handle of this one alone.",
)

NOT_IDS = "What comes back are no integers with one row for each sentence, (N, L)."
NO_END = Seen(
    "A row does not hold the end token, though its sentence ends before max_length.",
    "no_end",
    "When does a sentence end, and which token says so?",
)
NOT_PADDED = Seen(
    "After its end token a row holds something else than padding.",
    "not_padded",
    "Once a row has ended, write padding into it, whatever the model says.",
)
LONGER_THAN_ALLOWED = Seen(
    "A row has more than max_length tokens.",
    "too_long",
    "The start token is one of the `max_length` tokens.",
)
SHORTER_THAN_ALLOWED = Seen(
    "Rows without an end token should have max_length tokens.",
    "too_short",
    "A row that does not end goes on until it has `max_length` tokens, the start token among them.",
)
WROTE_ON = Seen(
    "The rows do not end with the end token of the sentence that ends last.",
    "written_on",
    "That a row has ended is known once its new token is there, and not a step later.",
)
ASKED_ON = Seen(
    "The model is asked on after all sentences have ended.",
    "asked_on",
    "Look after each step whether all rows have ended.",
)
OTHER_START_TOKEN = Seen(
    "A row does not begin with the start token of the model's config.",
    "other_start_token",
    "The config has an entry for the token that the decoder begins with.",
)
ENDED_BY_ITS_START = Seen(
    "With a model that starts with its end token nothing is written: only a token that the model "
    "has written ends a sentence.",
    "ended_by_its_start",
    "Look for the end in what the model has written, without the first column.",
)
OTHER_CALL = Seen(
    "The model is called with more than the three inputs that the text names.",
    "other_call",
    "Name the three inputs in the call, and nothing else.",
)
NOT_IN_STEPS = (
    "The model is not given what has been written so far: the start token first, and one token "
    "more each time."
)
CONFIG_CHANGED = Seen(
    "The model's config holds something else after a call.",
    "config_changed",
    "What you need for yourself is a variable of your own; read of the config what it has.",
)
PADDING_READ = Seen(
    "What stands in the source where its mask is 0 changes what is written.",
    "padding_read",
    "The mask of the source is an argument of the model as well.",
)

NOT_T5 = (
    "With weights that come by the names of T5's layers the output is not what T5's layer answers."
)
