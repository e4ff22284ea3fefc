"""What only this assignment says to its students."""

from __future__ import annotations

from autograder.checking import wording

UNEVEN_ROWS = wording.SUM_NOT_ONE
NEGATIVE_WEIGHTS = "Some weights are below 0."
HIDDEN_WEIGHT = "A key that a query may not attend to has a weight above 0."
HIDDEN_SAY = "A key that no query may attend to, or its value, still changes something."

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

OTHER_PARTS = (
    "The linear layers and norms inside are not those that the question lists: their number or "
    "their sizes differ, or a part is used twice."
)
MAPS_MISSING = "`get_attention_maps` does not return one map for each layer."
MAPS_NOT_ALONE = "Without `return_outputs`, `get_attention_maps` does not return the maps alone."
TWO_OUTPUTS = "What stands beside the attention is not what `forward` returns alone."
NO_DEFAULT_ZERO = "Without the argument, dropout still acts in training mode."
MAPS_NOT_LINKED = (
    "What is returned beside attention was not computed from this very tensor: no gradient goes "
    "from one to the other."
)
ORDER_MATTERS = "With the positions switched off, the order of the sequence still matters."

TRAINED = wording.NOTHING_TO_TRAIN
NO_BUFFER = "The module keeps no buffer with `max_len` rows of `d_model` numbers."
SAVED = "The encoding is saved with the model: `state_dict()` is not empty."

NOT_FLIPPED = "A label is not its sequence backwards."
OTHER_DIGITS = "The digits are not all of 0 to num_categories - 1, each about equally often."
NOT_KEPT = "The same index does not give the same pair twice."
SAME_SETS = "Two data sets that are made one after the other hold the same sequences."
ALL_ALIKE = "Different indices give the same sequence."

NOT_FLOATS = "Loss and accuracy are not both Python floats."
NOT_TRAINING = "`train_step` does not put the model into training mode."
NOT_EVALUATING = "`eval_step` does not put the model into evaluation mode."
EVALUATES_GRADIENTS = "`eval_step` computes the logits with gradients switched on, or leaves some."
EVALUATION_CHANGES = "`eval_step` changes the model's parameters."
LOSS_STAYS = "The loss does not go down over many training steps."

ROLLOUT_ROWS = "The rows of the rollout do not sum to 1."
ROLLOUT_CAUSAL = "Where no layer looks ahead, the rollout still does."

MIXED_BATCH = "A sequence gets another relevance in a batch than alone."
STILL_TRAINING = "With dropout in the model, two calls give different numbers."
GRADIENTS_LEFT = "Gradients are left behind in the model's parameters."
OTHER_RULE = "With your own model, the relevance is not what the rule makes of its maps."
