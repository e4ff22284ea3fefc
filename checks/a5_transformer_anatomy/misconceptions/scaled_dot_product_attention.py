"""Axes, scales and masks that are off."""

from autograder.checking import Misconception

SOFTMAX = "weights = torch.softmax(scores, dim=-1)"

MISCONCEPTIONS = [
    Misconception(
        name="softmax_over_queries",
        price="mathematics",
        sentence=(
            "Your softmax runs over the queries, so the weights of a key sum to 1 instead of those "
            "of a query. Look at which axis of (..., L_q, L_k) counts the keys."
        ),
        replaced={"torch.softmax(scores, dim=-1)": "torch.softmax(scores, dim=-2)"},
    ),
    Misconception(
        name="fused_beside_the_weights",
        sentence=(
            "You let PyTorch's fused function work and compute the weights beside it, so that the "
            "output does not come from them. The question asks for the formula itself."
        ),
        replaced={
            "return weights @ v, weights": (
                "fused = nn.functional.scaled_dot_product_attention\n"
                "    return fused(q, k, v, mask), weights"
            )
        },
    ),
    Misconception(
        name="no_scale",
        price="mathematics",
        sentence=(
            "You do not divide the scores, so with large vectors the softmax becomes all or "
            "nothing. Look at what stands below the fraction bar."
        ),
        replaced={" / math.sqrt(q.shape[-1])": ""},
    ),
    Misconception(
        name="scaled_without_root",
        price="mathematics",
        sentence=(
            "You divide the scores by the size of the vectors itself, which makes them too small. "
            "The formula takes something of that size first."
        ),
        replaced={"math.sqrt(q.shape[-1])": "q.shape[-1]"},
    ),
    Misconception(
        name="scaled_by_value_size",
        price="mathematics",
        sentence=(
            "You take the size for the scale from the values, but the dot products are sums over "
            "the entries of queries and keys. The two sizes may differ."
        ),
        replaced={"math.sqrt(q.shape[-1])": "math.sqrt(v.shape[-1])"},
    ),
    Misconception(
        name="mask_inverted",
        price="mathematics",
        sentence=(
            "You hide what may be attended to and show the rest: in this course True in a mask "
            "means *may attend*. Other libraries use the opposite convention."
        ),
        replaced={"masked_fill(~mask, -math.inf)": "masked_fill(mask, -math.inf)"},
    ),
    Misconception(
        name="mask_after_softmax",
        price="mathematics",
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
        price="mathematics",
        sentence=(
            "You set the scores of masked keys to 0, but the exponential of 0 is not 0, and they "
            "keep a weight. Look for the score that a softmax turns into nothing."
        ),
        replaced={"masked_fill(~mask, -math.inf)": "masked_fill(~mask, 0.0)"},
    ),
    Misconception(
        name="mask_ignored",
        price="mathematics",
        sentence=(
            "You take the mask as an argument and never use it. Look at what the question says "
            "about scores where it is False."
        ),
        replaced={"masked_fill(~mask, -math.inf)": "clone()"},
    ),
    Misconception(
        name="scaled_by_key_count",
        price="mathematics",
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
        price="mathematics",
        sentence=(
            "You return the weights first and the output second. The question asks for the "
            "opposite order."
        ),
        replaced={
            "return weights @ v, weights": "return weights, weights @ v",
        },
    ),
    Misconception(
        name="masked_scores_not_low_enough",
        price="edge",
        sentence=(
            "You give masked keys a low score, but the others can have lower ones, and then the "
            "masked keys win. Which number lies below every other?"
        ),
        replaced={"masked_fill(~mask, -math.inf)": "masked_fill(~mask, -1e4)"},
    ),
    Misconception(
        name="keys_turned_for_one_leading_axis",
        price="mathematics",
        sentence=(
            "You exchange the second and the third axis of the keys, which are the right ones with "
            "one leading dimension alone. Count axes from the end."
        ),
        replaced={"k.transpose(-2, -1)": "k.transpose(1, 2)"},
    ),
    Misconception(
        name="masked_and_normalised_after_softmax",
        price="edge",
        sentence=(
            "You take masked keys out after the softmax and let the rest sum to 1 again. Where "
            "these keys had all the weight, nothing is left to share out."
        ),
        replaced={
            "    if mask is not None:\n        scores = scores.masked_fill(~mask, -math.inf)\n": "",
            SOFTMAX: SOFTMAX
            + (
                "\n    if mask is not None:\n        weights = weights * mask\n"
                "        weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-9)"
            ),
        },
    ),
    Misconception(
        name="mask_lined_up_from_the_front",
        sentence=(
            "You give a mask of fewer axes new ones behind its first, as if that one counted the "
            "sentences. Broadcasting lines axes up from the last one, and needs no help."
        ),
        replaced={
            "        scores = scores.masked_fill": (
                "        while 1 < mask.dim() < scores.dim():\n"
                "            mask = mask.unsqueeze(1)\n"
                "        scores = scores.masked_fill"
            ),
        },
    ),
    Misconception(
        name="first_of_several_masks",
        sentence=(
            "You use one mask for all sentences and heads, though each may come with its own. "
            "A mask with leading dimensions broadcasts as it is."
        ),
        replaced={
            "        scores = scores.masked_fill": (
                "        mask = mask[(0,) * (mask.dim() - 2)]\n        scores = scores.masked_fill"
            ),
        },
    ),
    Misconception(
        name="causal_without_a_mask",
        sentence=(
            "You hide the future where no mask is given. Without one every query may look at every "
            "key: who wants to hide something says so."
        ),
        replaced={
            "    if mask is not None:\n": (
                "    if mask is None:\n"
                "        length, size = scores.shape[-2:]\n"
                "        mask = torch.ones_like(scores, dtype=torch.bool).tril(size - length)\n"
                "    if mask is not None:\n"
            ),
        },
    ),
    Misconception(
        name="queries_and_keys_normalised",
        price="mathematics",
        sentence=(
            "You bring queries and keys to one length before they meet, as some newer models do. "
            "In the formula long vectors count more than short ones."
        ),
        replaced={
            "    scores = q @": (
                "    q = nn.functional.normalize(q, dim=-1) * q.shape[-1] ** 0.5\n"
                "    k = nn.functional.normalize(k, dim=-1) * k.shape[-1] ** 0.5\n"
                "    scores = q @"
            ),
        },
    ),
    Misconception(
        name="keys_turned_for_two_leading_axes",
        sentence=(
            "You exchange the third and the fourth axis of the keys, which are the right ones "
            "with two leading dimensions alone. Count axes from the end."
        ),
        replaced={
            "k.transpose(-2, -1)": "k.transpose(2, 3)",
        },
    ),
    Misconception(
        name="first_row_of_the_first_mask",
        price="mathematics",
        sentence=(
            "You hide the same keys for all queries, sentences and heads, those of the first row "
            "of the mask. Each query may have keys of its own."
        ),
        replaced={
            "        scores = scores.masked_fill(~mask, -math.inf)": (
                "        row = mask.reshape(-1, mask.shape[-1])[0]\n"
                "        scores = scores.masked_fill(~row, -math.inf)"
            ),
        },
    ),
    Misconception(
        name="largest_of_all_subtracted",
        sentence=(
            "You subtract the largest score of all before you take exponentials, and in rows far "
            "below it nothing but zeros is left. Each row has a largest score of its own."
        ),
        replaced={
            "    weights = torch.softmax(scores, dim=-1)": (
                "    powers = torch.exp(scores - scores.max())\n"
                "    weights = powers / (powers.sum(dim=-1, keepdim=True) + 1e-12)"
            ),
        },
    ),
    Misconception(
        name="mask_gets_an_axis_of_heads",
        sentence=(
            "You give a mask of three axes another axis for heads. It fits as it is: what stands "
            "in front of its last two axes broadcasts."
        ),
        code="""def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        if mask.dim() == 3:
            mask = mask.unsqueeze(1)
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ v, weights
""",
    ),
    Misconception(
        name="needs_an_axis_in_front",
        sentence=(
            "Your formula needs an axis in front of length and size. There may be none, or several."
        ),
        code="""def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.einsum("b...qd,b...kd->b...qk", q, k) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("b...qk,b...kd->b...qd", weights, v), weights
""",
    ),
    Misconception(
        name="scores_bounded",
        sentence=(
            "You bound the scores by a tanh. The formula takes them as they are, however large."
        ),
        code="""def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    large = scores.abs() > 50
    scores = torch.where(large, 50 * torch.tanh(scores / 50), scores)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return torch.matmul(weights, v), weights
""",
    ),
    Misconception(
        name="three_axes_taken_for_sequences",
        sentence=(
            "You put an axis of heads into every mask of three axes. One of three axes that stands "
            "beside scores of four is a table for each head, by the usual broadcasting."
        ),
        code="""def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / k.shape[-1] ** 0.5
    if mask is not None:
        if scores.dim() == 4 and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        scores = scores.masked_fill(mask.logical_not(), float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ v, weights
""",
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
    ),
]
