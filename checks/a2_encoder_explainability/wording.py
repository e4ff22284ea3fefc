"""What only this assignment says to its students."""

from __future__ import annotations

from autograder.checking import wording

NO_PROJECTIONS = (
    "`qkv_proj` and `o_proj` are not the two linear layers, with bias, of the sizes that the "
    "question gives."
)
NOT_XAVIER = "The weights of `qkv_proj` or `o_proj` are not drawn by `nn.init.xavier_uniform_`."
BIAS_NOT_ZERO = "The biases of `qkv_proj` and `o_proj` do not start at zero."
NOT_REFUSED = (
    "An `embed_dim` that `num_heads` does not divide is not refused by a ValueError that names "
    "both numbers."
)
WRONGLY_REFUSED = "An `embed_dim` that `num_heads` divides is refused."

MAPS_NOT_LINKED = (
    "What is returned beside attention was not computed from this very tensor: no gradient goes "
    "from one to the other."
)
ALIKE_BLOCKS = "The blocks do not start with weights of their own, or are not all there."

TRAINED = wording.NOTHING_TO_TRAIN
NO_BUFFER = "The module keeps no buffer with `max_len` rows of `d_model` numbers."
SAVED = "The encoding is saved with the model: `state_dict()` is not empty."

OTHER_LENGTH = "`len(dataset)` is not the size that was asked for."
NOT_FLIPPED = "A label is not its sequence backwards."
OTHER_DIGITS = (
    "The digits are not all of 0 to num_categories - 1, each about equally often at every place."
)
NOT_KEPT = "The same index does not give the same pair twice."
SAME_SETS = "Two data sets that are made one after the other hold the same sequences."
ALL_ALIKE = "A sequence is related to that of the index before it."
RELATED_DIGITS = "The digits of a sequence are related: they should be drawn one by one."
OTHER_GENERATOR = "With the same seed of PyTorch's generator, a data set holds other sequences."

NOT_FLOATS = "Loss and accuracy are not both Python floats."
NOT_CALLED = "The model is not called; `forward` alone passes its hooks over."
NOT_TRAINING = "`train_step` does not put the model into training mode."
NOT_EVALUATING = "`eval_step` does not put the model into evaluation mode."
EVALUATES_GRADIENTS = "`eval_step` computes the logits with gradients switched on, or leaves some."
OTHER_RULE = "With your own model, the relevance is not what the rule makes of its maps."
NO_PREDICTION = "`PREDICTION` is not the name of one of the five explanations, letter by letter."
