"""Known wrong answers to `attention_weights`."""

from autograder.checking import Misconception

CUT = "part(x).unflatten(-1, (num_heads, -1)).transpose(1, 2)"
SCALED = "/ math.sqrt(q.shape[-1])"

MISCONCEPTIONS = [
    Misconception(
        name="not_scaled",
        sentence="You do not divide the scores by the root of the size of a head.",
        replaced={" " + SCALED: ""},
        price="mathematics",
    ),
    Misconception(
        name="scaled_by_the_whole_size",
        sentence=(
            "You divide by the root of D, the size of the whole vector. Each head works with a "
            "slice of it, and divides by the root of the size of that."
        ),
        replaced={SCALED: "/ math.sqrt(x.shape[-1])"},
        price="mathematics",
    ),
    Misconception(
        name="softmax_over_queries",
        sentence=(
            "Your softmax runs over the queries, so that columns sum to 1. A row belongs to one "
            "query, and it is the row that sums to 1."
        ),
        replaced={"torch.softmax(scores, dim=-1)": "torch.softmax(scores, dim=-2)"},
        price="mathematics",
    ),
    Misconception(
        name="queries_and_keys_exchanged",
        sentence=(
            "You exchange queries and keys, so that your rows belong to the token that is looked "
            "at. A row belongs to the token that looks."
        ),
        replaced={"(layer.to_queries, layer.to_keys)": "(layer.to_keys, layer.to_queries)"},
        price="mathematics",
    ),
    Misconception(
        name="queries_twice",
        sentence="You compare queries with queries. The keys have a layer of their own.",
        replaced={"(layer.to_queries, layer.to_keys)": "(layer.to_queries, layer.to_queries)"},
        price="mathematics",
    ),
    Misconception(
        name="values_for_keys",
        sentence="You compare queries with values. What queries are compared with are the keys.",
        replaced={"(layer.to_queries, layer.to_keys)": "(layer.to_queries, layer.to_values)"},
        price="mathematics",
    ),
    Misconception(
        name="input_compared_with_itself",
        sentence=(
            "You compare the inputs themselves. What the layer has learned lies in its queries "
            "and keys."
        ),
        replaced={"part(x).unflatten": "x.unflatten"},
        price="mathematics",
    ),
    Misconception(
        name="heads_cut_by_view",
        sentence=(
            "You view the vectors straight as (B, heads, L, D / heads), which mixes tokens with "
            "heads. Cut the last axis first, then change places."
        ),
        replaced={CUT: "part(x).reshape(len(x), num_heads, x.shape[1], -1)"},
        price="mathematics",
    ),
    Misconception(
        name="heads_interleaved",
        sentence=(
            "You give each head every num_heads-th number. A head works with neighbouring numbers."
        ),
        replaced={CUT: "part(x).unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)"},
        price="mathematics",
    ),
    Misconception(
        name="mean_of_the_heads",
        sentence=(
            "You return the mean over the heads, which hides that they differ. The question asks "
            "for the weights of each."
        ),
        replaced={
            "return torch.softmax(scores, dim=-1)": "return torch.softmax(scores, dim=-1).mean(1)"
        },
        price="mathematics",
    ),
    Misconception(
        name="scores_returned",
        sentence="You return the scores. The softmax makes weights of them.",
        replaced={"return torch.softmax(scores, dim=-1)": "return scores"},
        price="mathematics",
    ),
    Misconception(
        name="mask_ignored",
        sentence="You take no heed of the mask, so that padding gets weights.",
        replaced={
            "scores = scores.masked_fill(~padding_mask[:, None, None], -math.inf)": "pass",
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_inverted",
        sentence="You hide the real tokens and leave the padding. `True` means may attend.",
        replaced={"masked_fill(~padding_mask": "masked_fill(padding_mask"},
        price="mathematics",
    ),
    Misconception(
        name="mask_on_queries",
        sentence=(
            "You hide the rows of padding instead of its columns. A padding mask says who may be "
            "looked at."
        ),
        replaced={
            "masked_fill(~padding_mask[:, None, None], -math.inf)": (
                "masked_fill(~padding_mask[:, None, :, None], -1e9)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_after_softmax",
        sentence=(
            "You set weights on padding to zero after the softmax, so that rows sum to less than 1."
        ),
        replaced={
            "scores = scores.masked_fill(~padding_mask[:, None, None], -math.inf)": (
                "return torch.softmax(scores, dim=-1) * padding_mask[:, None, None]"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="dropout_applied",
        sentence=(
            "You drop weights as the layer does in training. The question asks for the weights as "
            "they are in evaluation, whatever mode the layer is in."
        ),
        replaced={
            "return torch.softmax(scores, dim=-1)": (
                "return nn.functional.dropout(torch.softmax(scores, dim=-1), 0.1, layer.training)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="weights_not_transposed",
        sentence=(
            "You multiply by the weights of a layer as they lie there, which are its transposed "
            "ones. A layer is called."
        ),
        replaced={
            "part(x).unflatten": "(x @ part.weight).unflatten",
        },
        price="mathematics",
    ),
    Misconception(
        name="padding_scores_not_low_enough",
        price="edge",
        sentence=(
            "The number that you write over the scores of padding can be above those of all real "
            "tokens. Only one number never is."
        ),
        replaced={
            "-math.inf": "-1e4",
        },
    ),
    Misconception(
        name="matrices_for_layers",
        price="edge",
        sentence=(
            "You multiply by the matrices of the two layers and do not call the layers, so "
            "whatever else these do is passed over."
        ),
        replaced={
            "part(x)": "(x @ part.weight.T)",
        },
    ),
    Misconception(
        name="padding_by_a_billion",
        sentence=(
            "You give padding a score that is low but not the lowest, and scores below it lose "
            "against padding. Nothing is lower than minus infinity."
        ),
        replaced={"-math.inf": "-1e9"},
    ),
    Misconception(
        name="rows_and_columns_exchanged",
        price="mathematics",
        sentence=(
            "Your columns sum to 1, and your mask hides rows: you take each axis of the scores for "
            "the other one. A row belongs to one query, and in it stand the keys."
        ),
        replaced={
            "padding_mask[:, None, None]": "padding_mask[:, None, :, None]",
            "torch.softmax(scores, dim=-1)": "torch.softmax(scores, dim=-2)",
        },
    ),
    Misconception(
        name="rows_of_padding_blanked",
        price="mathematics",
        sentence=(
            "You set the rows of padding to zero. Nobody looks at padding, but every position "
            "looks, and its row sums to 1."
        ),
        replaced={
            "    return torch.softmax(scores, dim=-1)": (
                "    weights = torch.softmax(scores, dim=-1)\n"
                "    if padding_mask is None:\n"
                "        return weights\n"
                "    return weights * padding_mask[:, None, :, None]"
            )
        },
    ),
    Misconception(
        name="mean_for_every_head",
        price="mathematics",
        sentence=(
            "All heads of the table that you return show their mean. Each head has weights of its "
            "own."
        ),
        replaced={
            "    return torch.softmax(scores, dim=-1)": (
                "    weights = torch.softmax(scores, dim=-1)\n"
                "    return weights.mean(dim=1, keepdim=True).expand_as(weights)"
            )
        },
    ),
    Misconception(
        name="first_keys_kept",
        price="mathematics",
        sentence=(
            "You count the real tokens and keep as many of the first keys, as if padding always "
            "came last. The mask says where it stands."
        ),
        replaced={
            "        scores = scores.masked_fill(~padding_mask[:, None, None], -math.inf)\n": (
                "        places = torch.arange(x.shape[1], device=x.device)\n"
                "        kept = places < padding_mask.sum(dim=1, keepdim=True)  # (B, L)\n"
                "        scores = scores.masked_fill(~kept[:, None, None], -math.inf)\n"
            )
        },
    ),
    Misconception(
        name="padding_shares_over_queries",
        price="mathematics",
        sentence=(
            "Your softmax runs over the queries, where a padding key is as low for all of them, so "
            "that it still gets weights. Which axis holds the keys of one query?"
        ),
        replaced={"-math.inf": "-1e30", "torch.softmax(scores, dim=-1)": "scores.softmax(dim=-2)"},
    ),
    Misconception(
        name="heads_asked_from_the_layer",
        sentence=(
            "You ask the layer for its number of heads, under a name that means something else in "
            "another layer, or nothing. The number is an argument."
        ),
        replaced={
            "    q, k = (": '    num_heads = getattr(layer, "num_heads", num_heads)\n    q, k = ('
        },
    ),
    Misconception(
        name="normalised_again_after_the_mask",
        price="edge",
        sentence=(
            "You take padding out after the softmax and let the rest sum to 1 again. Where padding "
            "had nearly all the weight, little or nothing is left to share out."
        ),
        replaced={
            "        scores = scores.masked_fill(~padding_mask[:, None, None], -math.inf)\n": (
                "        weights = torch.softmax(scores, dim=-1) * padding_mask[:, None, None]\n"
                "        return weights / (weights.sum(dim=-1, keepdim=True) + 1e-6)\n"
            )
        },
    ),
    Misconception(
        name="padding_cut_off_when_alone",
        sentence=(
            "You cut padding off where the batch has one text. The map has a row and a column for"
            " each token of the row, padding included."
        ),
        code="""def attention_weights(layer, x, num_heads, padding_mask=None):
    keys_from = x
    if padding_mask is not None and len(x) == 1:
        keys_from, padding_mask = x[:, padding_mask[0]], None
    q = layer.to_queries(x).unflatten(2, (num_heads, -1)).transpose(1, 2)
    k = layer.to_keys(keys_from).unflatten(2, (num_heads, -1)).transpose(1, 2)
    scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
    if padding_mask is not None:
        scores = scores.masked_fill(~padding_mask[:, None, None, :], -math.inf)
    return scores.softmax(-1)
""",
        price="edge",
    ),
    Misconception(
        name="padding_silenced_before",
        sentence=(
            "You treat padding as something special where it asks, by vectors of zeros or an "
            "even share. As queries they are like others; as keys they are hidden."
        ),
        code="""def attention_weights(layer, x, num_heads, padding_mask=None):
    if padding_mask is None:
        padding_mask = torch.ones(x.shape[:2], dtype=torch.bool, device=x.device)
    x = x.masked_fill(~padding_mask.unsqueeze(-1), 0.0)
    B, L, D = x.shape
    q = layer.to_queries(x).reshape(B, L, num_heads, D // num_heads).permute(0, 2, 1, 3)
    k = layer.to_keys(x).reshape(B, L, num_heads, D // num_heads).permute(0, 2, 3, 1)
    scores = torch.matmul(q, k) / (D // num_heads) ** 0.5
    scores = scores.masked_fill(~padding_mask.view(B, 1, 1, L), float("-inf"))
    return scores.softmax(-1)
""",
        price="mathematics",
    ),
]
