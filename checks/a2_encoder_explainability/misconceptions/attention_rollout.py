"""Known wrong answers to `attention_rollout`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="elementwise_product",
        sentence=(
            "You multiply the layers entry by entry, which keeps only what every layer looks at "
            "directly. Two hops need a sum over the position between them, a matrix product."
        ),
        replaced={
            "    for attention in attention_maps:\n": (
                "    rollout = torch.ones_like(identity)\n    for attention in attention_maps:\n"
            ),
            "mixed @ rollout": "mixed * rollout",
        },
        price="mathematics",
    ),
    Misconception(
        name="without_residual",
        sentence=(
            "You multiply the attention maps as they are, as if there were no residual "
            "connections. Each layer also hands every position on to itself."
        ),
        replaced={"0.5 * attention.mean(dim=1) + 0.5 * identity": "attention.mean(dim=1)"},
        price="mathematics",
    ),
    Misconception(
        name="last_layer_first",
        sentence=(
            "You multiply the layers in the opposite order. The rows of the product belong to the "
            "output, so the last layer has to stand on the left."
        ),
        replaced={"mixed @ rollout": "rollout @ mixed"},
        price="mathematics",
    ),
    Misconception(
        name="mean_of_the_layers",
        sentence=(
            "You take the mean of the layers. Information that goes through one layer after the "
            "other asks for a product."
        ),
        replaced={
            "    for attention in attention_maps:\n": (
                "    rollout = 0 * identity\n    for attention in attention_maps:\n"
            ),
            "mixed @ rollout": "rollout + mixed / len(attention_maps)",
        },
        price="mathematics",
    ),
    Misconception(
        name="rows_not_normalised",
        sentence=(
            "You do not divide the rows by their sums, so that relevance grows or shrinks where "
            "rows of attention do not sum to 1."
        ),
        replaced={"        mixed = mixed / mixed.sum(dim=-1, keepdim=True)\n": ""},
        price="edge",
    ),
    Misconception(
        name="columns_normalised",
        sentence=(
            "You divide each column by its sum. A row belongs to one query, and it is the row that "
            "has to sum to 1."
        ),
        replaced={"mixed.sum(dim=-1, keepdim=True)": "mixed.sum(dim=-2, keepdim=True)"},
        price="mathematics",
    ),
    Misconception(
        name="strongest_head",
        sentence=(
            "You take the largest weight among the heads of a layer. The question asks for their "
            "mean."
        ),
        replaced={"attention.mean(dim=1)": "attention.amax(dim=1)"},
        price="mathematics",
    ),
    Misconception(
        name="residual_not_halved",
        sentence=(
            "You add the whole identity to the whole attention and do not divide the rows by "
            "their sums, so that relevance doubles in each layer."
        ),
        replaced={
            "0.5 * attention.mean(dim=1) + 0.5 * identity": "attention.mean(dim=1) + identity",
            "        mixed = mixed / mixed.sum(dim=-1, keepdim=True)\n": "",
        },
        price="mathematics",
    ),
    Misconception(
        name="rows_divided_at_the_end",
        sentence=(
            "You divide the rows once, after the product of all layers. The question divides "
            "them in each layer, which is not the same where rows do not sum to 1."
        ),
        replaced={
            ("        mixed = mixed / mixed.sum(dim=-1, keepdim=True)\n"): "",
            "    return rollout": "    return rollout / rollout.sum(dim=-1, keepdim=True)",
        },
        price="edge",
    ),
    Misconception(
        name="rows_divided_before_the_identity",
        price="edge",
        sentence=(
            "You divide the rows by their sums before the identity is added, so that attention "
            "and the residual have other shares than in the formula. Divide what the two make "
            "together."
        ),
        replaced={
            (
                "        mixed = 0.5 * attention.mean(dim=1) + 0.5 * identity  # (B, L, L)\n"
                "        mixed = mixed / mixed.sum(dim=-1, keepdim=True)\n"
            ): (
                "        mean = attention.mean(dim=1)\n"
                "        mixed = 0.5 * mean / mean.sum(dim=-1, keepdim=True) + 0.5 * identity\n"
            ),
        },
    ),
    Misconception(
        name="axis_of_the_sums_lost",
        sentence=(
            "Your sums of the rows have one axis less than the maps, so that they do not line up "
            "with the rows that they should divide. A sum can be told to keep its axis."
        ),
        replaced={"mixed.sum(dim=-1, keepdim=True)": "mixed.sum(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        name="heads_rolled_out_one_by_one",
        sentence=(
            "You roll out each head by itself and take the mean at the end, as if a head read only "
            "what the same head wrote. What all heads of a layer find comes together before the "
            "next layer reads it."
        ),
        replaced={
            "attention.mean(dim=1) + ": "attention + ",
            "    return rollout": "    return rollout.mean(dim=1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="first_layer_without_residual",
        sentence=(
            "You start from the attention of the first layer as it is. It has a residual "
            "connection like all the others."
        ),
        replaced={
            "    for attention in attention_maps:\n": (
                "    rollout = like.mean(dim=1)\n"
                "    rollout = rollout / rollout.sum(dim=-1, keepdim=True)\n"
                "    for attention in attention_maps[1:]:\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="residual_once_at_the_end",
        sentence=(
            "You multiply the attention maps as they are and mix in the identity once, at the end. "
            "Each layer has a residual connection of its own."
        ),
        replaced={
            "0.5 * attention.mean(dim=1) + 0.5 * identity": "attention.mean(dim=1)",
            "    return rollout": "    return 0.5 * rollout + 0.5 * identity",
        },
        price="mathematics",
    ),
    Misconception(
        name="own_share_left_out",
        sentence=(
            "You take each position's own share away and divide what is left by its sum. The "
            "rollout keeps it: the figures leave it out later."
        ),
        replaced={
            "    return rollout": (
                "    rollout = rollout * (1 - identity)\n"
                "    return rollout / rollout.sum(dim=-1, keepdim=True)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="columns_divided_by_the_sums_of_rows",
        sentence=(
            "You divide each column by the sum of the row with the same number, so that the rows "
            "do not sum to 1. An axis that a sum has taken away goes back to where it was."
        ),
        replaced={"mixed.sum(dim=-1, keepdim=True)": "mixed.sum(dim=-1)[:, None]"},
    ),
    Misconception(
        name="weak_weights_discarded",
        sentence=(
            "You set the smallest weights of each layer to zero, as a well-known script does. In "
            "this question every weight counts."
        ),
        replaced={
            "        mixed = 0.5 * attention.mean(dim=1) + 0.5 * identity  # (B, L, L)\n": (
                "        mean = attention.mean(dim=1)\n"
                "        flat = mean.flatten(1)\n"
                "        few = flat.topk(flat.shape[1] // 10, dim=1, largest=False).indices\n"
                "        mean = flat.scatter(1, few, 0).view_as(mean)\n"
                "        mixed = 0.5 * mean + 0.5 * identity\n"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="last_layer_left_out",
        sentence=(
            "Your loop ends before the last layer, whose attention is missing in the product. "
            "Check where your range of layers ends."
        ),
        replaced={
            "in attention_maps:\n": "in attention_maps[: max(len(attention_maps) - 1, 1)]:\n"
        },
        price="mathematics",
    ),
    Misconception(
        name="without_residual_and_last_layer_first",
        sentence=(
            "You multiply the attention maps as they are, and in the opposite order. Each layer "
            "also hands every position on to itself, and the last layer stands on the left."
        ),
        replaced={
            "0.5 * attention.mean(dim=1) + 0.5 * identity": "attention.mean(dim=1)",
            "mixed @ rollout": "rollout @ mixed",
        },
        price="mathematics",
    ),
    Misconception(
        name="mean_over_the_batch",
        sentence=(
            "You take the mean over the sequences as well as over the heads, so that all get the "
            "same table. Each sequence has a rollout of its own."
        ),
        replaced={
            "attention.mean(dim=1) + ": "attention.mean(dim=(0, 1)).expand(len(like), -1, -1) + "
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_divided_one_by_one",
        sentence=(
            "You divide the rows of each head by their sums and take the mean after that, so that "
            "a head with little weight counts as much as the others. Look at the order of the "
            "three steps in the formula."
        ),
        replaced={
            (
                "        mixed = 0.5 * attention.mean(dim=1) + 0.5 * identity  # (B, L, L)\n"
                "        mixed = mixed / mixed.sum(dim=-1, keepdim=True)\n"
            ): (
                "        heads = 0.5 * attention + 0.5 * identity\n"
                "        mixed = (heads / heads.sum(dim=-1, keepdim=True)).mean(dim=1)\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="first_layer_left_out",
        sentence=(
            "You leave the first layer out of the product. What reaches the outputs has gone "
            "through every layer, the first as well."
        ),
        replaced={
            "for attention in attention_maps:": "for attention in attention_maps[1:]:",
        },
        price="mathematics",
    ),
    Misconception(
        name="power_of_the_mean",
        sentence=(
            "You multiply the mean of the layers by itself, as if all layers were alike. Each "
            "factor of the product belongs to one layer, and their order counts."
        ),
        replaced={
            ("        rollout = mixed @ rollout\n    return rollout"): (
                "        rollout = rollout + mixed\n"
                "    mean = (rollout - identity) / len(attention_maps)\n"
                "    return torch.linalg.matrix_power(mean, len(attention_maps))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="single_layer_as_it_is",
        sentence=(
            "You return a single layer as it is. The rule adds the residual and normalises for "
            "each layer, also where there is one."
        ),
        code="""def attention_rollout(attention_maps):
    if len(attention_maps) == 1:
        return attention_maps[0].mean(dim=1)
    length = attention_maps[0].shape[-1]
    identity = torch.eye(length)
    rollout = identity.expand(attention_maps[0].shape[0], length, length)
    for attention in attention_maps:
        mixed = 0.5 * attention.mean(dim=1) + 0.5 * identity
        mixed = mixed / mixed.sum(dim=-1, keepdim=True)
        rollout = mixed @ rollout
    return rollout
""",
        price="edge",
    ),
    Misconception(
        name="identity_weighs_as_a_head",
        sentence=(
            "You weigh the identity as one more head. It counts as much as the mean of all heads "
            "together."
        ),
        code="""def attention_rollout(attention_maps):
    length = attention_maps[0].shape[-1]
    identity = torch.eye(length)
    rollout = identity.expand(attention_maps[0].shape[0], length, length)
    for attention in attention_maps:
        mixed = (attention.sum(dim=1) + identity) / (attention.shape[1] + 1)
        mixed = mixed / mixed.sum(dim=-1, keepdim=True)
        rollout = mixed @ rollout
    return rollout
""",
        price="mathematics",
    ),
    Misconception(
        name="one_sum_for_all_rows",
        sentence="You divide all rows by one number. Each row is divided by its own sum.",
        code="""def attention_rollout(attention_maps):
    length = attention_maps[0].shape[-1]
    identity = torch.eye(length)
    rollout = identity.expand(attention_maps[0].shape[0], length, length)
    for attention in attention_maps:
        mixed = 0.5 * attention.mean(dim=1) + 0.5 * identity
        mixed = mixed / mixed.sum(dim=-1, keepdim=True).amax(dim=-2, keepdim=True)
        rollout = mixed @ rollout
    return rollout
""",
        price="edge",
    ),
    Misconception(
        name="small_sums_left",
        sentence=(
            "Small sums of a row are not divided out, since you hold the divisor at 1 or above. "
            "Rows are divided by what they sum to."
        ),
        code="""def attention_rollout(attention_maps):
    eye = torch.eye(attention_maps[0].shape[-1])
    result = eye.expand(attention_maps[0].shape[0], -1, -1)
    for layer in attention_maps:
        a = layer.mean(dim=1) / 2 + eye / 2
        a = a / a.sum(dim=-1, keepdim=True).clamp(min=1)
        result = a @ result
    return result
""",
        price="edge",
    ),
    Misconception(
        name="identity_added_to_rows_that_sum_to_one",
        sentence=(
            "You add the identity when the rows sum to 1 already, so that they sum to 2 and "
            "relevance grows from layer to layer. Divide by what attention and identity make "
            "together, in each layer."
        ),
        code="""def attention_rollout(attention_maps):
    product = None
    for heads in attention_maps:
        mean = heads.mean(1)
        layer = mean / mean.sum(2, keepdim=True) + torch.eye(mean.size(2), dtype=mean.dtype)
        product = layer if product is None else torch.bmm(layer, product)
    return product / 2
""",
        price="mathematics",
    ),
    Misconception(
        name="sums_of_two_never_divided",
        sentence=(
            "You add the identity when the rows sum to 1 already, and divide by nothing after "
            "that, so that relevance doubles in each layer. The sum is what has to be divided."
        ),
        code="""def attention_rollout(attention_maps):
    size = attention_maps[0].size(-1)
    direct = torch.eye(size, dtype=attention_maps[0].dtype)
    found = direct
    for heads in attention_maps:
        weights = heads.mean(1)
        weights = weights / weights.sum(-1, keepdim=True)
        found = (weights + direct) @ found
    return found
""",
        price="mathematics",
    ),
    Misconception(
        name="halved_once_at_the_end",
        sentence=(
            "You add attention and identity in each layer and halve only the product, once. Each "
            "layer doubles the sum of a row, so each has to divide its own rows."
        ),
        code="""def attention_rollout(attention_maps):
    joined = torch.eye(attention_maps[0].size(-1), dtype=attention_maps[0].dtype)
    residual = joined.clone()
    for heads in attention_maps:
        joined = (heads.mean(1) + residual) @ joined
    return 0.5 * joined
""",
        price="mathematics",
    ),
    Misconception(
        name="attention_alone_halved",
        sentence=(
            "You halve attention and add the whole identity, so that a row keeps twice as much of "
            "itself as the question gives it. Both have the same share."
        ),
        code="""def attention_rollout(attention_maps):
    like = attention_maps[0]
    keep = torch.eye(like.shape[-1], dtype=like.dtype)
    product = keep
    for weights in attention_maps:
        product = (weights.mean(dim=1) / 2 + keep) @ product
    return product
""",
        price="mathematics",
    ),
    Misconception(
        name="attention_alone_halved_and_divided",
        sentence=(
            "You halve attention and add the whole identity before the rows are divided, so that "
            "what is left of attention is a third. Both have the same share."
        ),
        replaced={"+ 0.5 * identity": "+ identity"},
        price="mathematics",
    ),
]
