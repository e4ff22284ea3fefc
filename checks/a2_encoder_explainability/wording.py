"""What only this assignment says to its students."""

from __future__ import annotations

from autograder.checking import Seen, wording

NO_PROJECTIONS = Seen(
    "`qkv_proj` and `o_proj` are not the two linear layers, with bias, of the sizes that the "
    "question gives.",
    "other_layers",
    "Compare the names and sizes of the two layers with the text, and their biases.",
)
NOT_XAVIER = Seen(
    "The weights of `qkv_proj` or `o_proj` are not drawn by `nn.init.xavier_uniform_`.",
    "not_xavier",
    "A layer draws its weights when it is made. Draw them anew afterwards, both of them.",
)
BIAS_NOT_ZERO = Seen(
    "Not all biases of `qkv_proj` and `o_proj` start at zero.",
    "bias_not_zero",
    "A layer draws its biases too. `nn.init` has a function that sets a tensor to one number.",
)
NOT_REFUSED = Seen(
    "An `embed_dim` that `num_heads` does not divide is not refused by a ValueError that names "
    "both numbers.",
    "not_refused",
    "Look at the remainder of the division before anything is made, and raise the error that "
    "the question names.",
)
WRONGLY_REFUSED = Seen(
    "An `embed_dim` that `num_heads` divides is refused.",
    "wrongly_refused",
    "Which of the two numbers has to divide the other one?",
)

MAPS_NOT_LINKED = Seen(
    "What is returned beside attention was not computed from this very tensor: no gradient goes "
    "from one to the other.",
    "maps_not_linked",
    "Return the tensor that was used: no copy, nothing detached, nothing of another run.",
)
DROPPED_BEFORE_THE_ENCODER = Seen(
    "With `input_dropout=0` the encoder is handed something else in each call: numbers are dropped "
    "before it.",
    "dropped_before_the_encoder",
    "In the formula the sum of vectors and marks goes to the encoder as it is.",
)
ALIKE_BLOCKS = Seen(
    "The blocks do not start with weights of their own, or are not all there.",
    "alike_blocks",
    "Each block is made by a call of its own; copies start alike.",
)

TRAINED = wording.NOTHING_TO_TRAIN
NO_BUFFER = Seen(
    "The module keeps no buffer with `max_len` rows of `d_model` numbers.",
    "no_buffer",
    "Make the table as long as `max_len` says, whatever the default is, and register it.",
)
UNUSED_BUFFER = wording.UNUSED_BUFFER
SAVED = Seen(
    "The encoding is saved with the model: `state_dict()` is not empty.",
    "saved",
    "A buffer can be registered so that no checkpoint holds it.",
)

OTHER_LENGTH = Seen(
    "`len(dataset)` is not the size that was asked for.",
    "other_length",
    "How many sequences there are was asked for when the data set was made. How long each of "
    "them is, is another number.",
)
NOT_FLIPPED = Seen(
    "A label is not its sequence backwards.",
    "not_flipped",
    "Print one sequence and its label, one below the other.",
)
OTHER_DIGITS = (
    "The digits are not all of 0 to num_categories - 1, each about equally often at every place."
)
NOT_KEPT = Seen(
    "An index gives another pair the second time, or who looks at one draws, or sets a seed.",
    "not_kept",
    "Whatever is drawn is drawn in `__init__`; an index only looks it up.",
)
SAME_SETS = Seen(
    "Two data sets that are made one after the other hold the same sequences.",
    "same_sets",
    "Either a seed is set when a data set is made, or something that was drawn once serves "
    "them all.",
)
ALL_ALIKE = "A sequence is related to that of the index before it."
RELATED_DIGITS = "The digits of a sequence are related: they should be drawn one by one."
OTHER_GENERATOR = Seen(
    "With the same seed of PyTorch's generator, a data set holds other sequences.",
    "other_generator",
    "Draw by functions of torch alone, whose generator a seed of torch sets.",
)

REPEATED = Seen(
    "Some sequences stand in the data set several times, as they are or backwards.",
    "repeated",
    "Draw as many sequences as the data set has pairs.",
)

NOT_EXACT = Seen(
    "A loss or an accuracy is not the number itself: it is near it, as after rounding.",
    "not_exact",
    "Numbers are rounded where they are printed; whoever adds them up needs all their digits.",
)
TWO_PASSES = Seen(
    "`train_step` returns the loss of one answer of the model and the accuracy of another, "
    "so that dropout makes them those of different logits.",
    "two_passes",
    "Compute both from the same logits.",
)
NOT_FLOATS = Seen(
    "Loss and accuracy are not both Python floats.",
    "not_floats",
    "A tensor of one number has a method that makes a Python number of it.",
)
NOT_CALLED = Seen(
    "The model is not called; `forward` alone skips its hooks.",
    "forward_called",
    "A module is called like a function. Its `forward` by itself runs none of the hooks that "
    "others have attached.",
)
NOT_TRAINING = Seen(
    "`train_step` does not put the model into training mode.",
    "not_training",
    "Each call of `train_step` sets the mode by itself, before the model answers.",
)
MODE_TAKEN_BACK = Seen(
    "`train_step` puts the model back into the mode that it came in.",
    "mode_taken_back",
    "Read in the question in which mode the model is left.",
)
NOT_EVALUATING = Seen(
    "`eval_step` does not put the model into evaluation mode.",
    "not_evaluating",
    "Each call of `eval_step` sets the mode by itself, before the model answers.",
)
EVALUATES_GRADIENTS = Seen(
    "`eval_step` computes the logits with gradients switched on, or leaves some.",
    "evaluates_gradients",
    "Compute the logits where torch records no graph; a `with` block does that.",
)
X_CHANGED = Seen(
    "`x` does not come back as it was: it required gradients before, and does not afterwards.",
    "x_changed",
    "Ask for gradients of a tensor of your own, and leave the one that was handed in alone.",
)
MAPS_DO_NOT_COUNT = (
    "The attention maps of your `TransformerPredictor` are zero, or its answer hardly depends on "
    "them: nothing can be explained by them."
)
OTHER_RULE = "With your own model, the relevance is not what the rule makes of its maps."
NO_PREDICTION = Seen(
    "`PREDICTION` is not the name of one of the five explanations, letter by letter.",
    "no_prediction",
    wording.PICK_A_CHOICE,
)
