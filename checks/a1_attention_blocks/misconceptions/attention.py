"""Known wrong answers to `attention`."""

from __future__ import annotations

from autograder.checking import Misconception

SCALED = " / math.sqrt(q.shape[-1])"
SIZE = "q.shape[-1]"
KEYS = "k.transpose(-2, -1)"
SCORES = f"q @ {KEYS}{SCALED}"
WEIGHTS = "torch.softmax(scores, dim=-1)"
MIXED = "att_values @ v,"
PAIR = "att_values @ v, att_values"
AXIS = "dim=-1"

MISCONCEPTIONS = [
    Misconception(
        "scores_not_scaled",
        "You take the softmax of the bare dot products, whose spread grows with the size of the "
        "vectors. Look at the denominator in the formula.",
        {SCALED: ""},
        price="mathematics",
    ),
    Misconception(
        "scaled_without_root",
        "You divide the scores by the size of the vectors itself, so they shrink too far and all "
        "weights come out nearly equal. Look again at the denominator in the formula.",
        {SCALED: f" / {SIZE}"},
        price="mathematics",
    ),
    Misconception(
        "scores_multiplied",
        "You make the scores larger where the formula makes them smaller, so nearly all weight "
        "falls on one key. Check on which side of the fraction line the scale stands.",
        {SCALED: f" * math.sqrt({SIZE})"},
        price="mathematics",
    ),
    Misconception(
        "scaled_by_value_size",
        "Your scale follows from the size of the values, but the scores are made of queries and "
        "keys alone. Look at whose size the formula names; the two may differ.",
        {SIZE: "v.shape[-1]"},
        price="mathematics",
    ),
    Misconception(
        "scaled_by_query_count",
        "Your scale follows from the number of queries, so the weights of one query change when "
        "others come along. Check which axis of a tensor its vectors' size is.",
        {SIZE: "q.shape[1]"},
        price="mathematics",
    ),
    Misconception(
        "scaled_by_key_count",
        "Your scale follows from the number of keys instead of the size of their vectors. Check "
        "which axis of a tensor that size is.",
        {SIZE: "k.shape[1]"},
        price="mathematics",
    ),
    Misconception(
        "scaled_by_batch_size",
        "Your scale follows from the number of sequences in the batch, so a sequence gets other "
        "weights alone than in company. Check which axis of a tensor its vectors' size is.",
        {SIZE: "q.shape[0]"},
        price="mathematics",
    ),
    Misconception(
        "scaled_after_softmax",
        "You scale the weights when the softmax is over, so they no longer sum to 1. The scale "
        "belongs to the scores.",
        {SCALED: "", WEIGHTS: f"{WEIGHTS}{SCALED}"},
        price="mathematics",
    ),
    Misconception(
        "softmax_over_queries",
        "Your softmax runs over the queries, so the weights of a key sum to 1 and those of a query "
        "do not. Ask which axis of the scores counts the keys.",
        {AXIS: "dim=-2"},
        price="mathematics",
    ),
    Misconception(
        "softmax_over_batch",
        "Your softmax runs over the sequences of the batch, which have nothing to do with one "
        "another. Ask which axis of the scores counts the keys.",
        {AXIS: "dim=0"},
        price="mathematics",
    ),
    Misconception(
        "softmax_over_whole_table",
        "Your softmax runs over all pairs of a query and a key together, so that queries share one "
        "sum. Each query distributes weights of its own.",
        {WEIGHTS: "torch.softmax(scores.flatten(1), dim=-1).reshape(scores.shape)"},
        price="mathematics",
    ),
    Misconception(
        "no_softmax",
        "You mix the values by the scores themselves, which may be negative and have any sum. A "
        "step between the scores and the weights is missing.",
        {WEIGHTS: "scores"},
        price="mathematics",
    ),
    Misconception(
        "softmax_before_product",
        "You take the softmax of the queries before they meet the keys, so it runs over the "
        "entries of a vector. It belongs to the table of scores.",
        {SCORES: f"torch.softmax(q, dim=-1) @ {KEYS}{SCALED}", WEIGHTS: "scores"},
        price="mathematics",
    ),
    Misconception(
        "log_softmax",
        "Your weights are the logarithms of a softmax, so they are all negative. Check which "
        "function you call.",
        {WEIGHTS: f"torch.log_{WEIGHTS.removeprefix('torch.')}"},
        price="mathematics",
    ),
    Misconception(
        "exponentials_not_divided",
        "You stop at the exponentials of the scores, so the weights of a query have any sum. Look "
        "at the denominator in the formula of the weights.",
        {WEIGHTS: "scores.exp()"},
        price="mathematics",
    ),
    Misconception(
        "keys_reshaped",
        "You reshape the keys where their axes should change places, so the numbers of different "
        "keys end up in one column. A reshape keeps the order of the numbers; a transposition "
        "does not.",
        {KEYS: "k.reshape(k.shape[0], k.shape[2], k.shape[1])"},
        price="mathematics",
    ),
    Misconception(
        "features_compared",
        "You transpose the queries, so the entries of the vectors are compared and not the "
        "positions. Write down the shapes: the table of scores has a row for each query.",
        {f"q @ {KEYS}": "q.transpose(-2, -1) @ k"},
        price="mathematics",
    ),
    Misconception(
        "keys_and_values_exchanged",
        "You compare the queries with the values and mix the keys. Keys are there to be found, "
        "values to be handed out.",
        {f"q @ {KEYS}": "q @ v.transpose(-2, -1)", MIXED: "att_values @ k,"},
        price="mathematics",
    ),
    Misconception(
        "keys_mixed",
        "Your output is a mixture of the keys, so it has their size. Look at what stands to the "
        "right of the weights in the formula.",
        {MIXED: "att_values @ k,"},
        price="mathematics",
    ),
    Misconception(
        "scores_returned",
        "You return the scores where the weights are asked for. The second part of the pair is "
        "what the softmax makes.",
        {PAIR: "att_values @ v, scores"},
        price="mathematics",
    ),
    Misconception(
        "weights_not_returned",
        "You return the output alone. The question asks for a pair, whose second part is the table "
        "of weights.",
        {PAIR: "att_values @ v"},
        price="mathematics",
    ),
    Misconception(
        "weights_transposed",
        "You return the weights with queries and keys exchanged. In the table that you return "
        "each row belongs to a query.",
        {PAIR: "att_values @ v, att_values.transpose(-2, -1)"},
        price="mathematics",
    ),
    Misconception(
        "pair_exchanged",
        "You return the weights first and the output second. Check the order of the pair.",
        {PAIR: "att_values, att_values @ v"},
        price="mathematics",
    ),
    Misconception(
        "dropout_left_on",
        "You drop some weights at random, so the output is another each time and the rows do not "
        "sum to 1. There is no dropout in this formula.",
        {WEIGHTS: f"nn.functional.dropout({WEIGHTS}, 0.1)"},
        price="mathematics",
    ),
    Misconception(
        "future_hidden",
        "You hide the keys that come after a query's own position. Here every query may look at "
        "every key; a mask is the topic of the bonus.",
        {
            WEIGHTS: "torch.softmax(scores.masked_fill(torch.ones_like(scores).triu(1) > 0, "
            "-math.inf), dim=-1)"
        },
        price="mathematics",
    ),
    Misconception(
        "queries_changed_in_place",
        "You scale the queries in place, so the tensor of whoever called you changes as well. "
        "Make a new tensor instead.",
        {"scores = ": "q /= math.sqrt(q.shape[-1])\n    scores = ", SCALED: ""},
        price="surroundings",
    ),
    Misconception(
        "gradient_cut_off",
        "Your weights are cut off from the queries and keys that they were made of, so nothing "
        "that makes these could learn. Look for a step that leaves the graph of gradients.",
        {WEIGHTS: f"{WEIGHTS}.detach()"},
        price="learning",
    ),
    Misconception(
        "scores_capped",
        "You cap the scores before the softmax, so keys whose scores lie far apart beyond the "
        "cap get the same weight. The softmax of PyTorch stays finite by itself.",
        {WEIGHTS: "torch.softmax(scores.clamp(-10, 10), dim=-1)"},
        price="edge",
    ),
    Misconception(
        "cosines_as_scores",
        "Your scores are the cosines of the angles between queries and keys, so how long these "
        "vectors are no longer counts. The formula multiplies the vectors as they are.",
        {
            SCORES: "nn.functional.normalize(q, dim=-1)"
            " @ nn.functional.normalize(k, dim=-1).transpose(-2, -1)"
        },
        price="mathematics",
    ),
    Misconception(
        "queries_and_keys_brought_to_one_length",
        "You bring all queries and keys to one and the same length before they meet, as some "
        "newer models do. The formula multiplies the vectors as they are.",
        {
            SCORES: "nn.functional.normalize(q, dim=-1)"
            f" @ nn.functional.normalize(k, dim=-1).transpose(-2, -1) * math.sqrt({SIZE})"
        },
        price="mathematics",
    ),
    Misconception(
        "scaled_by_the_size_of_the_example",
        "Your scale is a fixed number that fits vectors of one size alone. Read the size off the "
        "tensors that come in.",
        {SIZE: "512"},
        price="edge",
    ),
    Misconception(
        "not_scaled_and_softmax_over_queries",
        "Your softmax runs over the queries, and over scores that nothing divides. Ask which axis "
        "of the scores counts the keys, and look at the denominator in the formula.",
        {SCALED: "", AXIS: "dim=-2"},
        price="mathematics",
    ),
    Misconception(
        "scores_capped_far_out",
        "You cap the scores at a bound that small inputs never reach, and beyond it large ones "
        "are told apart no more. A softmax needs no such help to stay finite.",
        {WEIGHTS: "torch.softmax(scores.clamp(-30, 30), dim=-1)"},
        price="edge",
    ),
    Misconception(
        "scaled_by_value_size_without_root",
        "You divide the scores by the size of the values itself. Look at the denominator in "
        "the formula: whose size does it name, and what is done with it?",
        {
            SCALED: " / v.shape[-1]",
        },
        price="mathematics",
    ),
    Misconception(
        "root_rounded_to_a_whole_number",
        "You round the root in the denominator down to a whole number, which is right for few "
        "sizes only. Check what kind of number your function for the root returns.",
        {
            SCALED: f" / math.isqrt({SIZE})",
        },
        price="mathematics",
    ),
    Misconception(
        "capped_scores_and_more_in_the_sum",
        "You cap the scores and add a small number to the sum by which you divide, so the "
        "weights of a query whose scores are all very low vanish. The softmax of PyTorch "
        "needs neither of the two.",
        {
            WEIGHTS: "scores.clamp(-50, 50).exp()",
            f"    return {PAIR}": (
                "    att_values = att_values / (att_values.sum(dim=-1, keepdim=True) + 1e-9)\n"
                "    return att_values @ v, att_values"
            ),
        },
        price="edge",
    ),
    Misconception(
        "axes_of_one_squeezed",
        "You call `squeeze` without an axis, which takes every axis of size 1 away, that of a "
        "single sequence or query too. No axis has to go here.",
        {
            WEIGHTS: "torch.softmax(scores.squeeze(), dim=-1)",
        },
        price="edge",
    ),
    Misconception(
        name="zero_keys_are_padding",
        sentence=(
            "You hide keys that are all zero. Zeros are a key like any other; nothing here says "
            "what is padding."
        ),
        code="""def attention(q, k, v):
    d_k = q.shape[-1]
    scores = q @ k.transpose(-2, -1) / math.sqrt(d_k)
    scores = scores.masked_fill((k == 0).all(-1)[:, None, :], -1e9)
    att_values = torch.softmax(scores, dim=-1)
    return att_values @ v, att_values
""",
        price="edge",
    ),
    Misconception(
        name="scores_clamped",
        sentence=(
            "You limit the scores to a range before the softmax. Large scores have to stay as far"
            " apart as they are: the softmax itself keeps them finite."
        ),
        code="""def attention(q, k, v):
    scores = torch.einsum("nqd,nkd->nqk", q, k) * q.size(-1) ** -0.5
    scores = scores.clamp(-20, 20)
    top = scores.amax(dim=-1, keepdim=True)
    e = torch.exp(scores - top)
    att_values = e / e.sum(dim=-1, keepdim=True)
    output = torch.einsum("nqk,nkv->nqv", att_values, v)
    return output, att_values
""",
        price="edge",
    ),
    Misconception(
        name="small_weights_dropped",
        sentence=(
            "You set small weights to zero. Rows then no longer sum to 1; nothing asks for that."
        ),
        code="""def attention(q, k, v):
    d_k = q.shape[-1]
    scores = q @ k.transpose(-2, -1) / math.sqrt(d_k)
    att_values = torch.softmax(scores, dim=-1)
    att_values = nn.functional.threshold(att_values, 1e-3, 0.0)
    return att_values @ v, att_values
""",
        price="edge",
    ),
    Misconception(
        "softmax_over_queries_and_rows_divided",
        "Your softmax runs over the queries, and dividing the rows by their sums afterwards does "
        "not mend it: the proportions in a row are wrong. Say which axis counts the keys.",
        {
            WEIGHTS: "torch.softmax(scores, dim=-2)\n"
            "    att_values = att_values / att_values.sum(dim=-1, keepdim=True)"
        },
    ),
]
