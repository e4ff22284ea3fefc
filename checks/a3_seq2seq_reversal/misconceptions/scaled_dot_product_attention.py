"""Wrong answers to question 4 that students are known to give."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="softmax_over_queries",
        sentence=(
            "Your softmax runs over the queries, so the weights of one query do not sum to "
            "1. The last axis counts the keys."
        ),
        replaced={
            "dim=-1": "dim=-2",
        },
        price="mathematics",
    ),
    Misconception(
        name="scores_not_scaled",
        sentence=(
            "You do not divide the scores by the square root of the size of the keys. For "
            "large vectors nearly all weight then goes to a single key."
        ),
        replaced={
            " / math.sqrt(q.shape[-1])": "",
        },
        price="mathematics",
    ),
    Misconception(
        name="scaled_by_the_size",
        sentence=(
            "You divide the scores by the size of the keys, not by its square root, which "
            "makes the weights nearly equal. Look at the formula again."
        ),
        replaced={
            "math.sqrt(q.shape[-1])": "q.shape[-1]",
        },
        price="mathematics",
    ),
    Misconception(
        name="scaled_by_value_size",
        sentence=(
            "You take the scale from the size of the values, which may be another than that "
            "of queries and keys. Look at which two vectors are multiplied in a score."
        ),
        replaced={
            "q.shape[-1]": "v.shape[-1]",
        },
        price="mathematics",
    ),
    Misconception(
        name="scaled_by_key_count",
        sentence=(
            "You take the scale from the number of keys, where the size of a key is asked "
            "for. Look at which axis you read it from."
        ),
        replaced={
            "q.shape[-1]": "k.shape[-2]",
        },
        price="mathematics",
    ),
    Misconception(
        name="convention_inverted",
        sentence=(
            "You hide the keys where the mask is true, but in this course True means “may "
            "attend”. Other libraries use the opposite; turn the mask round before you fill "
            "the scores."
        ),
        replaced={
            "scores.masked_fill(~mask": "scores.masked_fill(mask",
            "attention.masked_fill(~mask": "attention.masked_fill(mask",
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_after_softmax",
        sentence=(
            "You set weights to zero after the softmax, so those that are left sum to less "
            "than 1. What is hidden has to leave the scores before the softmax."
        ),
        replaced={
            "scores = scores.masked_fill(~mask, -math.inf)": "pass",
        },
        price="mathematics",
    ),
    Misconception(
        name="empty_rows_are_nan",
        sentence=(
            "A query that may attend to nothing gets NaN, since a softmax over nothing but "
            "minus infinity has no answer. Put zeros where the mask is false, after the "
            "softmax."
        ),
        replaced={
            (
                "attention = attention.masked_fill(~mask, 0)  # NaN where nothing may be "
                "attended to"
            ): "pass",
        },
        price="edge",
    ),
    Misconception(
        name="empty_rows_are_uniform",
        sentence=(
            "You hide keys by a very large negative number, and a query that may attend to "
            "nothing then spreads its weight evenly over all that is hidden. It should get "
            "zeros."
        ),
        replaced={
            "-math.inf": "-1e9",
            (
                "attention = attention.masked_fill(~mask, 0)  # NaN where nothing may be "
                "attended to"
            ): "pass",
        },
        price="edge",
    ),
    Misconception(
        name="hidden_scores_are_zero",
        sentence=(
            "You set hidden scores to zero, but a score of zero still gets a weight. Only "
            "one score becomes a weight of exactly zero, and it is no number."
        ),
        replaced={
            "scores.masked_fill(~mask, -math.inf)": "scores.masked_fill(~mask, 0)",
            (
                "attention = attention.masked_fill(~mask, 0)  # NaN where nothing may be "
                "attended to"
            ): "pass",
        },
        price="mathematics",
    ),
    Misconception(
        name="pair_swapped",
        sentence=(
            "You return the weights first and the output second. The question asks for the "
            "opposite order."
        ),
        replaced={
            "return attention @ v, attention": "return attention, attention @ v",
        },
        price="mathematics",
    ),
    Misconception(
        name="weights_stay_nan",
        sentence=(
            "Your output has zeros where nothing may be attended to, and the weights there are "
            "still NaN. Both are asked to be 0."
        ),
        replaced={
            (
                "        attention = attention.masked_fill(~mask, 0)"
                "  # NaN where nothing may be attended to\n"
                "    return attention @ v, attention"
            ): ("        pass\n    return (attention @ v).nan_to_num(), attention"),
        },
        price="edge",
    ),
    Misconception(
        name="softmax_by_hand",
        sentence=(
            "Your softmax takes the exponential of the scores as they are, which is infinite "
            "for large ones. `torch.softmax` takes care of that."
        ),
        replaced={
            ("    attention = torch.softmax(scores, dim=-1)\n"): (
                "    attention = scores.exp() / (scores.exp().sum(dim=-1, keepdim=True) + 1e-9)\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="minus_infinity_added",
        sentence=(
            "You add minus infinity to the scores, so that in a row of nothing else the gradient "
            "is NaN and runs back into queries and keys, though your results are numbers. A score "
            "that is filled in hands no gradient back, a sum does."
        ),
        replaced={
            "scores = scores.masked_fill(~mask, -math.inf)": (
                "scores = scores + torch.zeros_like(scores).masked_fill(~mask, -math.inf)"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="hidden_scores_not_low_enough",
        price="edge",
        sentence=(
            "Where scores are very low, your hidden keys get the weight, or the seen ones lose "
            "theirs: a low number does not lie below all scores, and after the softmax it is too "
            "late. Minus infinity does, before it."
        ),
        replaced={
            "-math.inf": "-1e4",
        },
    ),
    Misconception(
        name="leading_axis_needed",
        sentence=(
            "You need an axis in front of the last two. The dots stand for any number of them, "
            "also for none."
        ),
        replaced={
            "    scores = q @ k.transpose(-2, -1)": (
                "    scores = q.flatten(0, -3) @ k.flatten(0, -3).transpose(-2, -1)\n"
                "    scores = scores.unflatten(0, q.shape[:-2])"
            )
        },
    ),
    Misconception(
        name="fused_with_an_identity",
        sentence=(
            "You let PyTorch's fused function work, and get the weights by handing it an identity "
            "for the values. The question asks for the formula itself."
        ),
        replaced={
            "attention = torch.softmax(scores, dim=-1)\n": (
                "one = torch.eye(k.shape[-2], dtype=k.dtype, device=k.device)\n"
                "    fused = nn.functional.scaled_dot_product_attention\n"
                "    attention = fused(q, k, one.expand(*k.shape[:-1], -1), mask)\n"
            ),
        },
    ),
    Misconception(
        name="one_more_in_the_sum",
        sentence=(
            "You add something to the sum by which you divide, so that the weights of a query sum "
            "to less than 1. They share all that there is among the keys that may be looked at."
        ),
        replaced={
            "attention = torch.softmax(scores, dim=-1)\n    if": (
                "nothing = torch.zeros_like(scores[..., :1])\n"
                "    attention = torch.softmax(torch.cat([scores, nothing], dim=-1), "
                "dim=-1)[..., :-1]\n"
                "    if"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="causal_without_a_mask",
        sentence=(
            "Where no mask is given you hide the keys that come after a query's own place. Without "
            "a mask everything may be attended to; hiding the future is asked for by a mask."
        ),
        replaced={
            "    if mask is not None:\n        scores =": (
                "    if mask is None:\n"
                "        mask = torch.ones_like(scores, dtype=torch.bool).tril()\n"
                "    if mask is not None:\n        scores ="
            ),
        },
    ),
    Misconception(
        name="dropout_added",
        sentence=(
            "You drop some weights at random, so that a query's weights no longer sum to 1 and "
            "change from call to call. There is no dropout in this formula."
        ),
        replaced={
            "    return attention @ v": (
                "    attention = nn.functional.dropout(attention, 0.1)\n    return attention @ v"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="axes_counted_from_the_front",
        sentence=(
            "You count the axes that change places from the front, which fits one number of "
            "leading axes alone. There may be any number of them: count from the end."
        ),
        replaced={
            "k.transpose(-2, -1)": "k.transpose(2, 3)",
        },
        price="edge",
    ),
    Misconception(
        name="no_leading_axis_overlooked",
        sentence=(
            "You choose the axes that change places by how many there are, and leave out the case "
            "of two. Counted from the end they are the same in every case."
        ),
        replaced={
            "k.transpose(-2, -1)": "(k.transpose(2, 3) if k.dim() == 4 else k.transpose(1, 2))",
        },
    ),
    Misconception(
        name="width_from_a_fixed_axis",
        sentence=(
            "You read the size of the keys from an axis counted from the front. How many axes "
            "stand in front is open: count from the end."
        ),
        code="""def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[2])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    attention = torch.softmax(scores, dim=-1)
    if mask is not None:
        attention = attention.masked_fill(~mask, 0.0)
    return attention @ v, attention
""",
        price="mathematics",
    ),
    Misconception(
        name="mask_gets_an_axis_of_heads",
        sentence=(
            "You give a mask of three axes another axis for heads. It fits as it is: what stands "
            "in front of its last two axes broadcasts."
        ),
        code="""def scaled_dot_product_attention(q, k, v, mask=None):
    if mask is not None and mask.ndim == 3:
        mask = mask.unsqueeze(-3)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    attention = torch.softmax(scores, dim=-1)
    if mask is not None:
        attention = attention.masked_fill(~mask, 0.0)
    return attention @ v, attention
""",
        price="edge",
    ),
    Misconception(
        name="leading_axes_counted",
        sentence=(
            "You tell apart how many axes stand in front. There may be none, or any number: an "
            "ellipsis stands for all of them."
        ),
        code="""def scaled_dot_product_attention(q, k, v, mask=None):
    axes = "bh" if q.dim() == 4 else "b"
    scores = torch.einsum(f"{axes}qd,{axes}kd->{axes}qk", q, k)
    scores = scores / math.sqrt(q.size(-1))
    if mask is None:
        attention = scores.softmax(dim=-1)
    else:
        dead = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask & ~dead, float("-inf"))
        attention = scores.softmax(dim=-1).masked_fill(~mask, 0.0)
    return torch.einsum(f"{axes}qk,{axes}kv->{axes}qv", attention, v), attention
""",
    ),
    Misconception(
        name="hidden_scores_are_zero_and_cleared_after",
        sentence=(
            "You set hidden scores to 0, and their weights after the softmax. Until then they "
            "take their share, so that the others do not sum to 1: minus infinity leaves them "
            "none."
        ),
        replaced={
            "masked_fill(~mask, -math.inf)": "masked_fill(~mask, 0)",
        },
        price="mathematics",
    ),
    Misconception(
        name="largest_score_of_all_taken_off",
        sentence=(
            "For the sake of large numbers you subtract the largest score of all. Rows whose own "
            "scores lie far below it become zero: each query has a largest one of its own."
        ),
        code="""
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(k.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -math.inf)
    powers = torch.exp(scores - scores.max())
    sums = powers.sum(dim=-1, keepdim=True)
    attention = torch.where(sums > 0, powers / sums, 0.0)
    return attention @ v, attention
""",
        price="edge",
    ),
    Misconception(
        name="scores_cut_off",
        sentence=(
            "You cut scores off at a bound, so that those beyond it count alike. The softmax of "
            "torch is stable by itself, however large they are."
        ),
        replaced={
            " / math.sqrt(q.shape[-1])": " / math.sqrt(q.shape[-1])\n"
            "    scores = scores.clamp(-30, 30)"
        },
        price="edge",
    ),
]
