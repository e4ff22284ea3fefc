"""What the checks of this assignment say to students, beside the general sentences."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.checking import Seen, wording
from autograder.results import sentences

PAD_MOVED = Seen(
    "`PAD_ID` is given; it should stay as it is.",
    "pad_moved",
    "The padding id stands above your answer. Leave it, and choose the two others.",
)
NOT_WHOLE = Seen(
    "`BOS_ID` and `EOS_ID` should be whole numbers.",
    "ids_not_whole",
    "An id is the number of a row in a table, so it is a Python integer.",
)
IDS_COLLIDE = Seen(
    "Two of the three special ids are the same.",
    "ids_collide",
    "Each of the three says something else, so no two of them may be the same number.",
)
ID_OF_A_TOKEN = Seen(
    "`BOS_ID` or `EOS_ID` is an id that a real token can have, or below 0.",
    "id_of_a_token",
    "Which ids do the tokens of this task have? The special ones must not be among them.",
)


def other_length(shape: Sequence[int], wanted: Sequence[int]) -> Seen:
    return Seen(
        sentences.plain_shape("batch", shape, wanted),
        "other_length_of_a_batch",
        "A batch is as long as the longest of its lists, wherever that stands. Look where its "
        "length comes from.",
    )


LISTS_CHANGED = Seen(
    "`pad_sequences` changed the lists that it was given.",
    "lists_changed",
    "`extend`, `append` and `+=` change the list itself. Make a new list for each row.",
)

NO_BUFFER = wording.NO_PE
TRAINED = wording.NOTHING_TO_TRAIN
UNUSED_BUFFER = wording.UNUSED_BUFFER

NO_COMBINING = "The two masks cannot be combined with `&`: look at their shapes and dtypes."

NOT_FINITE_GRADIENT = "Where a query may attend to nothing, the gradient is NaN or infinite."
HIDDEN_WEIGHS = "A key that a query may not attend to has a weight."
NOT_EMPTY = Seen(
    "A query that may attend to nothing should get zeros, as weights and as output.",
    "empty_rows",
    "Look at a row of the mask that is False all along, and at what the softmax makes of it.",
)
SUMS = "The weights of a query do not sum to 1 over the keys that it may attend to."

DEFAULTS = "With no other arguments than vocab_size the model has not the sizes of the question."
OTHER_BLOCKS = Seen(
    "The model has not `num_layers` blocks on each side, or does not use them all.",
    "other_blocks",
    "Follow `num_layers`: so many blocks are made, and each reads what the one before answers.",
)
NO_PADDING_INDEX = Seen(
    "There should be two embeddings, each with the padding id as its `padding_idx`, so that the "
    "vector of padding is zero and stays it.",
    "no_padding_index",
    "`nn.Embedding` has an argument for the id of padding, and the model is told which id that is.",
)
PADDING_MATTERS = Seen(
    "More padding at the end of a batch changes the logits of real tokens.",
    "padding_matters",
    "Follow the mask of padding through `encode` and `decode`: no attention may do without it.",
)
PADDING_IS_NOT_PAD_ID = Seen(
    "With another `pad_id`, a model answers otherwise than with 0, though the ids mean the same.",
    "padding_fixed",
    "Which id is padding says `pad_id`, in each mask: a mask that is made without it takes 0.",
)

NO_STEP = Seen(
    "The optimizer makes no step: the parameters are what they were.",
    "no_step",
    "A step needs gradients first: `zero_grad`, `backward`, `step`, in this order.",
)
NOT_A_NUMBER = Seen(
    "The loss is not returned as a number.",
    "loss_not_a_number",
    "A tensor that holds one number can hand it over as a number of Python.",
)
NOT_SHIFTED = Seen(
    "The decoder did not get the targets shifted right, after one bos_id.",
    "not_shifted",
    "What the decoder reads is what `shift_right` makes of the targets with the `bos_id` that "
    "came in.",
)
PADDING_COUNTS = Seen(
    "Padding in the targets changes the loss.",
    "padding_counts",
    "The cross-entropy has an argument for the class that is left out. Here it is the `pad_id` "
    "that came in.",
)
NOT_TRAINING = Seen(
    "The model was not in training mode when it answered.",
    "not_training",
    "Put the model into training mode before it answers.",
)
NOT_CALLED = Seen(
    "The `forward` of the model is used by itself, which skips its hooks.",
    "by_forward",
)
LEFT_EVALUATING = Seen(
    "The model, or a part of it, is left in evaluation mode.",
    "left_evaluating",
    "Read in which mode the question leaves the model, and with which of its parts.",
)

NOT_LISTS = Seen(
    "The answer is not a list with one list of Python ints for each sequence.",
    "not_lists",
    "A tensor has a method that makes lists of Python numbers of it.",
)
FRAMED = Seen(
    "The lists should not hold the BOS put in front, nor EOS, nor anything said after EOS.",
    "framed",
    "Leave out the BOS in front, and cut each row where its first EOS stands.",
)
TOO_LONG = Seen(
    "A list is longer than max_len.",
    "too_long",
    "Count the tokens that the model has written; the BOS in front is none of them.",
)
TOO_SHORT = Seen(
    "A sequence that does not say EOS should have max_len tokens.",
    "too_short",
    "BOS is not written by the model, so it does not count. And no sequence ends before it "
    "says EOS.",
)
ENCODED_AGAIN = Seen(
    "The source is not encoded exactly once.",
    "encoded_again",
    "The source stays the same while the answer is written, so it is encoded before the loop.",
)
DECODED_ON = Seen(
    "The decoder runs more often than it has to.",
    "decoded_on",
    "Look after each step whether every sequence has said EOS by now.",
)
TOO_FEW_STEPS = Seen(
    "The decoder is not asked once for each new token, though what comes next rests on all before.",
    "too_few_steps",
    "One new token for each call of `decode`, which reads all tokens before it.",
)
LEFT_FROZEN = Seen(
    "After it has written, gradients stay switched off, or the model's parameters frozen.",
    "left_frozen",
    "Gradients are switched off for a while alone: by a decorator, or in a `with` block.",
)
WITH_GRADIENTS = Seen(
    "The model runs with gradients, which are not needed here.",
    "with_gradients",
    "Nothing learns while the model writes: let torch record no graph.",
)
NOT_EVALUATING = Seen(
    "The model was not in evaluation mode when it answered.",
    "not_evaluating",
    "Put the model into evaluation mode before it answers for the first time.",
)
OTHER_TOKENS = "The tokens are not those that the model scores highest."
NOT_GREEDY = "The tokens are not those that your `Transformer` scores highest, step by step."

NO_LIST = Seen(
    "`cross_attention` should return a list.",
    "no_list",
    "There is one map for each layer. Collect them in a list, also where there is one layer only.",
)
HOOKS_LEFT = Seen(
    "After the call the model has other hooks than before: one of yours is left, or one that was "
    "not yours is gone.",
    "hooks_left",
    "Keep the handle of every hook of yours, and remove those, whatever happens in between.",
)

NO_PREDICTION = Seen(
    "`PREDICTION` should be a dictionary of words.",
    "no_dictionary",
    "There is one prediction for each part: a dictionary from the part to a word.",
)
OTHER_PARTS = Seen(
    "The keys of `PREDICTION` are not the names of the three parts.",
    "other_parts",
    "The keys are the names of the parts as the text writes them, letter by letter, and all of "
    "them.",
)
OTHER_CHOICES = Seen(
    "A value of `PREDICTION` is none of the three choices.",
    "other_choices",
    "The values are words of `CHOICES`, letter by letter, one for each part.",
)

NO_HANDLES = Seen(
    "`take_out` should return a list of the handles of its hooks.",
    "no_handles",
    "Whoever attaches a hook is given a handle, with which it is removed again. Hand on all of "
    "them.",
)
NOTHING_TAKEN_OUT = "While the hooks are there the model answers as it does without them."
PUT_BACK_WITH_ANOTHER = Seen(
    "When another part is taken out, too, and put back, the model does not stay without the first.",
    "put_back_with_another",
    "Each call makes hooks of its own, and returns the handles of these alone.",
)
NOT_FOR_LONG = Seen(
    "While the hooks are there, a later call, or one in the other mode, gives something else than "
    "the first.",
    "not_for_long",
    "From `take_out` until the handles are removed, every call goes without the part.",
)
REMEMBERS = Seen(
    "While the hooks are there, a call with another target gives something else than where it is "
    "the first call: something of an earlier one is kept.",
    "forgets",
    "A hook works on what its module is given in this call.",
)
OTHER_MODEL = Seen(
    "The handles of one call put back what an earlier call took out of another model.",
    "other_model",
    "What a call returns are the handles of its own hooks. Is the list new each time?",
)
MODE_SET = Seen("`take_out` sets the mode of the model.", "mode")
OTHER_HOOKS = Seen("Hooks of others are gone once a part was taken out.", "unhooked")
GIVEN_CHANGED = Seen("A hook overwrites what its module was given.", "changed")
OTHER_KIND = Seen("In a model of float64, a module answers in another dtype.", "other_kind")
WEIGHTS_LOST = Seen(
    "With a part taken out, an attention no longer answers with its output and its weights.",
    "weights_lost",
    "What the hook of an attention returns is its whole answer: a pair, the weights as they were.",
)
NOT_PUT_BACK = Seen(
    "After all handles were removed, the model does not answer as before.",
    "not_put_back",
    "Change nothing but what hooks return: then it is enough to remove the hooks.",
)
