"""Known wrong answers to `scaled_dot_product`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="not_scaled",
        sentence=(
            "Your scores are not divided by anything, so that the softmax becomes all or nothing "
            "for large vectors. Compare them with the formula for the scores."
        ),
        replaced={" / math.sqrt(q.shape[-1])": ""},
        price="mathematics",
    ),
    Misconception(
        name="scaled_without_root",
        sentence=(
            "You divide the scores by the size of the keys itself, which makes attention too "
            "even. Look at the denominator of the formula again."
        ),
        replaced={"math.sqrt(q.shape[-1])": "q.shape[-1]"},
        price="mathematics",
    ),
    Misconception(
        name="scaled_by_value_size",
        sentence=(
            "Your scale follows from the size of the values, which need not be the size of the "
            "vectors that are compared. See which tensors make the scores."
        ),
        replaced={"q.shape[-1]": "v.shape[-1]"},
        price="mathematics",
    ),
    Misconception(
        name="softmax_over_queries",
        sentence=(
            "Your softmax runs over the queries, so that the columns sum to 1 and not the rows. "
            "Each query shares its weight among the keys."
        ),
        replaced={"dim=-1": "dim=-2"},
        price="mathematics",
    ),
    Misconception(
        name="masked_after_softmax",
        sentence=(
            "You hide keys after the softmax, so that the weights which remain sum to less than "
            "1. The mask has to act on the scores."
        ),
        replaced={
            "    if mask is not None:\n"
            "        scores = scores.masked_fill(~mask, -math.inf)\n"
            "    attention = torch.softmax(scores, dim=-1)\n": (
                "    attention = torch.softmax(scores, dim=-1)\n"
                "    if mask is not None:\n"
                "        attention = attention.masked_fill(~mask, 0)\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="mask_inverted",
        sentence=(
            "You hide the pairs that may attend and keep those that may not: in this course "
            "`True` means *may attend*. Other code, `nn.MultiheadAttention` among it, has it the "
            "other way round."
        ),
        replaced={"masked_fill(~mask, ": "masked_fill(mask, "},
    ),
    Misconception(
        name="mask_multiplies_scores",
        sentence=(
            "You multiply the scores by the mask, so that a hidden key has the score 0 and still "
            "gets weight. A softmax gives no weight to one score only, and that is not 0."
        ),
        replaced={"scores.masked_fill(~mask, -math.inf)": "scores * mask"},
        price="edge",
    ),
    Misconception(
        name="mask_ignored",
        sentence=(
            "Your function takes a mask and does nothing with it. See what the specification says "
            "about the pairs where it is `False`."
        ),
        replaced={"scores.masked_fill(~mask, -math.inf)": "scores"},
        price="learning",
    ),
    Misconception(
        name="axes_from_the_front",
        sentence=(
            "You count the axes of the keys from the front, which is right for one leading "
            "dimension and wrong for none or two. Count them from the end."
        ),
        replaced={"k.transpose(-2, -1)": "k.transpose(1, 2)"},
        price="edge",
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
        price="mathematics",
    ),
    Misconception(
        name="pair_swapped",
        sentence=(
            "You return the attention first and the values second. The question asks for the "
            "opposite order."
        ),
        replaced={
            "return attention @ v, attention": "return attention, attention @ v",
        },
        price="mathematics",
    ),
    Misconception(
        name="softmax_by_hand",
        sentence=(
            "Your softmax takes the exponential of the scores as they are, which is infinite "
            "for large ones. `torch.softmax` takes care of that."
        ),
        replaced={
            "torch.softmax(scores, dim=-1)": (
                "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="hidden_by_a_number_that_is_not_low_enough",
        price="edge",
        sentence=(
            "You hide pairs by a low number, but the scores of the others can lie below it. "
            "Nothing lies below minus infinity."
        ),
        replaced={
            "-math.inf": "-1e4",
        },
    ),
    Misconception(
        name="mask_of_one_row_for_the_first_query",
        sentence=(
            "You lay a mask of one row on the first query alone. It broadcasts: one row holds for "
            "all queries."
        ),
        replaced={
            "        scores = scores.masked_fill(~mask, -math.inf)\n": (
                "        mask = torch.atleast_2d(mask)\n"
                "        rows = scores[..., : mask.shape[-2], :].masked_fill(~mask, -math.inf)\n"
                "        scores = torch.cat([rows, scores[..., mask.shape[-2] :, :]], dim=-2)\n"
            )
        },
    ),
    Misconception(
        name="lowered_by_a_number",
        sentence=(
            "You lower the scores of hidden pairs by a number, and a score that is large enough "
            "climbs over it. Nothing climbs over minus infinity."
        ),
        replaced={
            "scores.masked_fill(~mask, -math.inf)": ("scores - 1e4 * (~mask).to(scores.dtype)")
        },
        price="edge",
    ),
    Misconception(
        name="rows_divided_after_a_late_mask",
        sentence=(
            "You hide keys after the softmax and divide each row by what is left of it, which can "
            "be nothing at all. The mask has to act on the scores."
        ),
        replaced={
            "        scores = scores.masked_fill(~mask, -math.inf)\n"
            "    attention = torch.softmax(scores, dim=-1)\n": (
                "        attention = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)\n"
                "        attention = attention / attention.sum(dim=-1, keepdim=True)\n"
                "    else:\n"
                "        attention = torch.softmax(scores, dim=-1)\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="late_mask_with_an_epsilon",
        sentence=(
            "You hide keys after the softmax and divide by the sum that is left and a small "
            "number, so that rows with little left do not sum to 1. The mask has to act on the "
            "scores."
        ),
        replaced={
            "        scores = scores.masked_fill(~mask, -math.inf)\n"
            "    attention = torch.softmax(scores, dim=-1)\n": (
                "        attention = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)\n"
                "        attention = attention / (attention.sum(dim=-1, keepdim=True) + 1e-9)\n"
                "    else:\n"
                "        attention = torch.softmax(scores, dim=-1)\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="overflow_made_zero",
        sentence=(
            "Your exponentials overflow for large scores, and you put zeros where that leaves no "
            "number, so that a row loses its weights. `torch.softmax` does not overflow."
        ),
        replaced={
            "torch.softmax(scores, dim=-1)": (
                "(scores.exp() / scores.exp().sum(dim=-1, keepdim=True)).nan_to_num()"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="mask_added",
        sentence=(
            "You add the mask to the scores, where `True` counts as 1 and `False` as 0, so that "
            "nobody is hidden. See what the specification says about the pairs where it is `False`."
        ),
        replaced={"scores.masked_fill(~mask, -math.inf)": "scores + mask"},
        price="learning",
    ),
    Misconception(
        name="mask_transposed",
        sentence=(
            "You exchange the axes of the mask. Its rows are queries and its columns keys already, "
            "as those of the scores are."
        ),
        replaced={"masked_fill(~mask, ": "masked_fill(~mask.transpose(-2, -1), "},
    ),
    Misconception(
        name="softmax_axis_from_the_front",
        sentence=(
            "You count the axis of your softmax from the front, which finds the keys behind one "
            "leading dimension alone. Count it from the end."
        ),
        replaced={"dim=-1": "dim=2"},
        price="edge",
    ),
    Misconception(
        name="axes_put_behind_the_first",
        sentence=(
            "You put new axes behind the first one of the mask, so that its rows are taken for "
            "sequences. A mask lines up from its last axis, without your help."
        ),
        replaced={
            "        scores = scores.masked_fill(": (
                "        while mask.dim() < scores.dim():\n"
                "            mask = mask.unsqueeze(1)\n"
                "        scores = scores.masked_fill("
            )
        },
    ),
    Misconception(
        name="cosines_scaled_up",
        sentence=(
            "You give queries and keys length 1 before they are compared, as some newer models do. "
            "In this formula their lengths count as well as their directions."
        ),
        replaced={
            "    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])": (
                "    q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)\n"
                "    scores = q @ k.transpose(-2, -1) * math.sqrt(q.shape[-1])"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="cosines_scaled_down",
        sentence=(
            "You take the lengths of queries and keys away and divide by the root all the same, so "
            "that all scores are small and the weights nearly even. Lengths count in this formula."
        ),
        replaced={
            "    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])": (
                "    q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)\n"
                "    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="scores_cut_off",
        sentence=(
            "You cut large scores off at a bound, so that those beyond it count alike. "
            "`torch.softmax` is stable by itself, however large they are."
        ),
        replaced={
            " / math.sqrt(q.shape[-1])": " / math.sqrt(q.shape[-1])\n"
            "    scores = scores.clamp(-30, 30)"
        },
    ),
    Misconception(
        name="not_scaled_and_masked_after_softmax",
        sentence=(
            "Your scores are not divided by anything, and you hide keys after the softmax, where "
            "the weights that remain sum to less than 1. Compare both steps with the formulas."
        ),
        replaced={
            " / math.sqrt(q.shape[-1])": "",
            "    if mask is not None:\n"
            "        scores = scores.masked_fill(~mask, -math.inf)\n"
            "    attention = torch.softmax(scores, dim=-1)\n": (
                "    attention = torch.softmax(scores, dim=-1)\n"
                "    if mask is not None:\n"
                "        attention = attention.masked_fill(~mask, 0)\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="leading_axis_needed",
        sentence=(
            "You need an axis in front of the last two. The dots stand for any number of them, "
            "also for none: count axes from the end."
        ),
        replaced={
            "k.transpose(-2, -1)": "(k.transpose(1, 2) if k.dim() < 4 else k.transpose(-2, -1))"
        },
    ),
    Misconception(
        name="one_more_in_the_sum",
        sentence=(
            "You add something to the sum by which you divide, so that the weights of a query sum "
            "to less than 1. They share all that there is among the keys that may be looked at."
        ),
        replaced={
            "attention = torch.softmax(scores, dim=-1)": (
                "nothing = torch.zeros_like(scores[..., :1])\n"
                "    attention = torch.cat([scores, nothing], dim=-1).softmax(dim=-1)[..., :-1]"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="not_scaled_and_mask_added",
        sentence=(
            "You divide the scores by nothing, and you add the mask as numbers, which hides "
            "nobody. Compare both steps with the formulas."
        ),
        replaced={
            " / math.sqrt(q.shape[-1])": "",
            "scores.masked_fill(~mask, -math.inf)": "scores + mask.to(scores.dtype)",
        },
        price="mathematics",
    ),
    Misconception(
        name="scores_bent_towards_a_bound",
        sentence=(
            "You bend large scores towards a bound, as some newer models do, so that they are "
            "told apart less and less. The softmax takes the scores as the formula makes them."
        ),
        replaced={
            "    if mask is not None:": (
                "    scores = 50 * torch.tanh(scores / 50)\n    if mask is not None:"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="rows_divided_after_a_late_mask_kept_from_zero",
        sentence=(
            "You hide keys after the softmax and divide each row by what is left, kept from zero: "
            "where hidden keys have won it all, the row is nothing but zeros. The mask has to act "
            "on the scores."
        ),
        replaced={
            (
                "    if mask is not None:\n"
                "        scores = scores.masked_fill(~mask, -math.inf)\n"
                "    attention = torch.softmax(scores, dim=-1)\n"
            ): (
                "    attention = torch.softmax(scores, dim=-1)\n"
                "    if mask is not None:\n"
                "        attention = attention * mask\n"
                "        left = attention.sum(dim=-1, keepdim=True)\n"
                "        attention = attention / left.clamp_min(1e-12)\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="mask_gets_an_axis_of_heads",
        sentence=(
            "You give a mask of three axes another axis for heads. It fits as it is: what stands "
            "in front of its last two axes belongs to the batch, and broadcasting does the rest."
        ),
        code="""def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        if mask.ndim == 3:
            mask = mask.unsqueeze(1)
        scores = scores.masked_fill(~mask, float("-inf"))
    attention = torch.softmax(scores, dim=-1)
    return attention @ v, attention
""",
    ),
    Misconception(
        name="link_lost_with_a_mask",
        sentence=(
            "With a mask the attention that you return is another tensor than the one that the "
            "values are made of."
        ),
        code="""def scaled_dot_product(q, k, v, mask=None):
    s = q @ k.mT * (1 / math.sqrt(k.shape[-1]))
    if mask is None:
        weights = torch.softmax(s, dim=-1)
        return weights @ v, weights
    weights = torch.softmax(s.masked_fill(~mask, -math.inf), dim=-1)
    values = weights @ v
    return values, weights.masked_fill(~mask, 0.0)
""",
    ),
    Misconception(
        name="largest_score_of_all_taken_off",
        sentence=(
            "For the sake of large numbers you subtract the largest score of all. Rows whose own "
            "scores lie far below it become zero: each query has a largest one of its own."
        ),
        code="""
def scaled_dot_product(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(k.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -math.inf)
    powers = torch.exp(scores - scores.max())
    attention = powers / powers.sum(dim=-1, keepdim=True)
    return attention @ v, attention
""",
        price="edge",
    ),
]
