"""Axes, scales and masks that are off."""

from autograder.checking import Misconception

SOFTMAX = "weights = torch.softmax(scores, dim=-1)"

MISCONCEPTIONS = [
    Misconception(
        name="softmax_over_queries",
        sentence=(
            "Your softmax runs over the queries, so the weights of a key sum to 1 instead of those "
            "of a query. Look at which axis of (..., L_q, L_k) counts the keys."
        ),
        replaced={"torch.softmax(scores, dim=-1)": "torch.softmax(scores, dim=-2)"},
    ),
    Misconception(
        name="no_scale",
        sentence=(
            "You do not divide the scores, so with large vectors the softmax becomes all or "
            "nothing. Look at what stands below the fraction bar."
        ),
        replaced={" / math.sqrt(q.shape[-1])": ""},
    ),
    Misconception(
        name="scaled_without_root",
        sentence=(
            "You divide the scores by the size of the vectors itself, which makes them too small. "
            "The formula takes something of that size first."
        ),
        replaced={"math.sqrt(q.shape[-1])": "q.shape[-1]"},
    ),
    Misconception(
        name="scaled_by_value_size",
        sentence=(
            "You take the size for the scale from the values, but the dot products are sums over "
            "the entries of queries and keys. The two sizes may differ."
        ),
        replaced={"math.sqrt(q.shape[-1])": "math.sqrt(v.shape[-1])"},
    ),
    Misconception(
        name="mask_inverted",
        sentence=(
            "You hide what may be attended to and show the rest: in this course True in a mask "
            "means *may attend*. Other libraries use the opposite convention."
        ),
        replaced={"masked_fill(~mask, -math.inf)": "masked_fill(mask, -math.inf)"},
    ),
    Misconception(
        name="mask_after_softmax",
        sentence=(
            "You set weights to zero after the softmax, so the rows no longer sum to 1. The mask "
            "has to act on the scores."
        ),
        replaced={
            "    if mask is not None:\n        scores = scores.masked_fill(~mask, -math.inf)\n": "",
            SOFTMAX: SOFTMAX + "\n    weights = weights if mask is None else weights * mask",
        },
    ),
    Misconception(
        name="masked_scores_are_zero",
        sentence=(
            "You set the scores of masked keys to 0, but the exponential of 0 is not 0, and they "
            "keep a weight. Look for the score that a softmax turns into nothing."
        ),
        replaced={"masked_fill(~mask, -math.inf)": "masked_fill(~mask, 0.0)"},
    ),
    Misconception(
        name="mask_ignored",
        sentence=(
            "You take the mask as an argument and never use it. Look at what the question says "
            "about scores where it is False."
        ),
        replaced={"masked_fill(~mask, -math.inf)": "clone()"},
    ),
    Misconception(
        name="scaled_by_key_count",
        sentence=(
            "You take the scale from the number of keys. It follows from the size of one of the "
            "vectors that are compared."
        ),
        replaced={
            "q.shape[-1]": "k.shape[-2]",
        },
    ),
    Misconception(
        name="pair_swapped",
        sentence=(
            "You return the weights first and the output second. The question asks for the "
            "opposite order."
        ),
        replaced={
            "return weights @ v, weights": "return weights, weights @ v",
        },
    ),
]
