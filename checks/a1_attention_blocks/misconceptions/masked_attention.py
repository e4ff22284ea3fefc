"""Known wrong answers to `masked_attention`."""

from __future__ import annotations

from autograder.checking import Misconception

SCALED = " / math.sqrt(q.shape[-1])"
TRIANGLE = ".tril()"
HIDDEN = "~may_attend"
MASKED = "        scores = scores.masked_fill(~may_attend, -math.inf)\n"
FILL = "-math.inf"
AXIS = "dim=-1"
WEIGHTS = "torch.softmax(scores, dim=-1)"

MISCONCEPTIONS = [
    Misconception(
        "no_mask",
        "You let every position look at the whole sequence, as in `SelfAttention`. The positions "
        "that come later have to be hidden.",
        {MASKED: ""},
    ),
    Misconception(
        "mask_after_softmax",
        "You set the weights of the future to zero when the softmax is over, so what is left of a "
        "row no longer sums to 1. Hide the future one step earlier.",
        {MASKED: "", WEIGHTS: f"({WEIGHTS} * may_attend)"},
    ),
    Misconception(
        "future_seen_only",
        "Your mask has the wrong triangle: a position sees itself and what comes after it. Compare "
        "your table with the one of the small example, row by row.",
        {TRIANGLE: ".triu()"},
    ),
    Misconception(
        "mask_inverted",
        "You hide just those positions that may be seen, and the last one has nothing left to look "
        "at. Check what True means in the mask convention of this course, and in the function "
        "that you call.",
        {HIDDEN: "may_attend"},
    ),
    Misconception(
        "itself_hidden",
        "You hide a position from itself as well, and the first one has nothing left to look at. "
        "Check what your mask says on the diagonal.",
        {TRIANGLE: ".tril(-1)"},
    ),
    Misconception(
        "next_position_seen",
        "Your mask is off by one: each position sees the one that comes next. Check what your mask "
        "says right beside the diagonal.",
        {TRIANGLE: ".tril(1)"},
    ),
    Misconception(
        "filled_with_zero",
        "You set the scores of the future to 0, which is a score like any other and gets a weight. "
        "Ask which score the softmax turns into a weight of nothing.",
        {FILL: "0.0"},
    ),
    Misconception(
        "filled_with_minus_one",
        "You set the scores of the future to -1, which is a score like any other and gets a "
        "weight. Ask which score the softmax turns into a weight of nothing.",
        {FILL: "-1.0"},
    ),
    Misconception(
        "filled_with_a_large_number",
        "You give the future a very large score, so it gets all the weight. Check the sign of what "
        "you fill in.",
        {FILL: "1e9"},
    ),
    Misconception(
        "softmax_over_queries",
        "Your mask is right, but the softmax after it runs over the queries. Ask which axis of the "
        "scores counts the keys.",
        {AXIS: "dim=-2"},
    ),
    Misconception(
        "scores_not_scaled",
        "Your mask is right, but the scores before it are not scaled. Compare them with the "
        "formula of question 3.",
        {SCALED: ""},
    ),
    Misconception(
        "mask_made_elsewhere",
        "Your mask is right, but it is always made on the CPU, so on a GPU it does not meet the "
        "scores. Look at where the tensors that you make yourself live.",
        {", device=x.device": ""},
    ),
    Misconception(
        "mask_inverted_and_nothing_is_zero",
        "Each position sees just what comes after it, and the last one, which has nothing to "
        "look at, gets zeros. Check what True means in the mask of the function that you "
        "call: those of PyTorch do not agree.",
        {
            MASKED: "",
            f"{WEIGHTS} @ v": "nn.functional.scaled_dot_product_attention(q, k, v, ~may_attend)",
        },
    ),
    Misconception(
        "scaled_by_value_size",
        "Your mask is right, but the scores before it are scaled by the size of the values. "
        "Compare them with the formula of question 3.",
        {SCALED: " / math.sqrt(v.shape[-1])"},
    ),
    Misconception(
        "filled_with_a_number_that_is_not_low_enough",
        "You give the future a low score, but those of the other positions can lie below it. "
        "Ask which score lies below every number.",
        {FILL: "-1e4"},
    ),
    Misconception(
        "filled_with_minus_a_billion",
        "You hide scores with a number that is large and negative, and where true scores lie lower "
        "still, the future wins. Ask which score lies below all others.",
        {FILL: "-1e9"},
    ),
    Misconception(
        "lowered_by_a_number",
        "You lower the scores of the future by a number, and a large one climbs over it. Ask "
        "which score the softmax turns into a weight of nothing, whatever the others are.",
        {MASKED: "        scores = scores - 1e3 * (~may_attend).to(scores.dtype)\n"},
    ),
    Misconception(
        "itself_hidden_but_from_the_first",
        "You hide a position from itself as well, the first one alone excepted. Check what your "
        "mask says on the whole diagonal.",
        {
            "        scores = scores.masked_fill(~may_attend": (
                "        may_attend = may_attend.tril(-1)\n"
                "        may_attend[0, 0] = True\n"
                "        scores = scores.masked_fill(~may_attend"
            )
        },
    ),
    Misconception(
        "itself_hidden_and_nothing_is_zero",
        "You hide a position from itself as well, and the first one, which has nothing to look "
        "at, gets zeros. Check what your mask says on the diagonal.",
        {TRIANGLE: ".tril(-1)", WEIGHTS: f"{WEIGHTS}.nan_to_num(0.0)"},
    ),
    Misconception(
        "divided_by_what_the_past_has_left",
        "You let the future into the softmax and divide by what is left of a row, which is "
        "nothing at all where a later score is very large. Hide the future one step earlier.",
        {
            MASKED: "",
            f"return {WEIGHTS}": f"weights = {WEIGHTS} * may_attend\n"
            "        return (weights / weights.sum(dim=-1, keepdim=True))",
        },
    ),
    Misconception(
        "divided_by_what_the_past_has_left_kept_from_zero",
        "You let the future into the softmax and stretch what is left of a row; where a later "
        "score is very large nothing is left to stretch. Hide the future one step earlier.",
        {
            MASKED: "",
            f"return {WEIGHTS}": f"weights = {WEIGHTS} * may_attend\n"
            "        return (weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-30))",
        },
    ),
    Misconception(
        "scaled_by_input_size",
        "Your mask is right, but the scores before it are scaled by the size of x. Compare them "
        "with the formula of question 3.",
        {SCALED: " / math.sqrt(x.shape[-1])"},
    ),
    Misconception(
        name="window_of_the_past",
        sentence=(
            "A position looks back over a stretch of fixed length. It looks at all positions "
            "before it, however many."
        ),
        replaced={
            "device=x.device).tril()": "device=x.device).tril().triu(-7)",
        },
        price="mathematics",
    ),
]
