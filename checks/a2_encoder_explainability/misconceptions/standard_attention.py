"""Known wrong answers to `standard_attention`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="heads_summed",
        sentence=(
            "You add the heads up, so that a row sums to their number. Their mean keeps it at 1."
        ),
        replaced={"mean(dim=1)": "sum(dim=1)"},
        price="mathematics",
    ),
    Misconception(
        name="strongest_head",
        sentence=(
            "You take the largest weight among the heads. The question asks for the mean, whose "
            "rows still sum to 1."
        ),
        replaced={"mean(dim=1)": "amax(dim=1)"},
        price="mathematics",
    ),
    Misconception(
        name="first_head_only",
        sentence="You show the first head alone. The question asks for the mean of all heads.",
        replaced={"mean(dim=1)": "select(1, 0)"},
        price="mathematics",
    ),
    Misconception(
        name="mean_over_the_batch",
        sentence=(
            "You take the mean over the sequences of the batch and keep the heads. In "
            "(B, heads, L, L) another axis has to go."
        ),
        replaced={"mean(dim=1)": "mean(dim=0)"},
        price="mathematics",
    ),
    Misconception(
        name="layers_counted_from_one",
        sentence="You count the layers from 1. The first layer has the number 0, as in a list.",
        replaced={"attention_maps[layer]": "attention_maps[layer - 1]"},
        price="mathematics",
    ),
    Misconception(
        name="every_layer_averaged",
        sentence=(
            "You take the mean over all layers. The question asks for the layer whose number is "
            "given."
        ),
        replaced={
            "attention_maps[layer].mean(dim=1)": (
                "torch.stack(list(attention_maps)).mean(dim=(0, 2))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="axes_of_one_squeezed",
        sentence=(
            "You call `squeeze` without an axis, which also takes those of a single position or "
            "sequence away."
        ),
        replaced={".mean(dim=1)": ".mean(dim=1).squeeze()"},
    ),
    Misconception(
        name="first_or_last_layer",
        sentence=(
            "You return the first layer or the last, and never one between them. The number may "
            "be that of any layer."
        ),
        replaced={"attention_maps[layer]": "attention_maps[-1 if layer else 0]"},
        price="edge",
    ),
    Misconception(
        name="rows_divided_by_their_sums",
        sentence=(
            "You divide each row by its sum. The question asks for the mean as it is, also where "
            "its rows do not sum to 1."
        ),
        replaced={
            "return attention_maps[layer].mean(dim=1)": (
                "mean = attention_maps[layer].mean(dim=1)\n"
                "    return mean / mean.sum(dim=-1, keepdim=True)"
            )
        },
        price="edge",
    ),
    Misconception(
        name="mean_over_heads_and_batch",
        sentence=(
            "You take the mean over the sequences as well, so that their axis is gone. Each "
            "sequence keeps a map of its own."
        ),
        replaced={"mean(dim=1)": "mean(dim=(0, 1))"},
        price="mathematics",
    ),
    Misconception(
        name="one_map_for_all_sequences",
        sentence=(
            "You take the mean over the sequences as well and show it for each of them. Each "
            "sequence has a map of its own."
        ),
        replaced={
            "return attention_maps[layer].mean(dim=1)": (
                "maps = attention_maps[layer].mean(dim=1)\n"
                "    return maps.mean(dim=0, keepdim=True).expand_as(maps)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="positive_layers_counted_from_one",
        sentence=(
            "You count the layers from 1 where the number is positive. Layer 1 is the one after "
            "the first, as in a list."
        ),
        replaced={"attention_maps[layer]": "attention_maps[layer - 1 if layer > 0 else layer]"},
        price="edge",
    ),
    Misconception(
        name="strongest_head_divided_by_its_sum",
        sentence=(
            "You take the largest weight among the heads and divide the rows by their sums. That "
            "is no mean: the question asks what the heads do on the average."
        ),
        replaced={
            "return attention_maps[layer].mean(dim=1)": (
                "strongest = attention_maps[layer].amax(dim=1)\n"
                "    return strongest / strongest.sum(dim=-1, keepdim=True)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="mean_of_two_heads",
        sentence=(
            "You take the mean of the first two heads. There may be any number of them, and all "
            "count alike."
        ),
        replaced={
            "attention_maps[layer].mean(dim=1)": (
                "(attention_maps[layer][:, 0] + attention_maps[layer][:, 1]) / 2"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="mean_up_to_the_layer",
        sentence=(
            "You take the mean over the layers up to the one that is asked for. The question asks "
            "for that one alone; the next question is about several."
        ),
        replaced={
            "    return attention_maps[layer].mean(dim=1)": (
                "    last = layer % len(attention_maps)\n"
                "    return torch.stack(list(attention_maps[: last + 1])).mean(dim=(0, 2))"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="every_negative_number_for_the_last",
        sentence=(
            "Every negative number gives you the last layer. They count from the end, as in a "
            "list, and -1 is only the first of them."
        ),
        replaced={"attention_maps[layer]": "attention_maps[layer if layer >= 0 else -1]"},
        price="edge",
    ),
    Misconception(
        name="rows_and_columns_exchanged",
        sentence=(
            "Your map has rows and columns exchanged. Row j of attention says where query j looks, "
            "and the figures read it so."
        ),
        replaced={"mean(dim=1)": "mean(dim=1).transpose(1, 2)"},
        price="mathematics",
    ),
    Misconception(
        name="median_of_the_heads",
        sentence=(
            "You take the median of the heads, which leaves out how far the others lie from it. "
            "The question asks for their mean."
        ),
        replaced={
            "mean(dim=1)": "median(dim=1).values",
        },
        price="mathematics",
    ),
    Misconception(
        name="sign_of_the_number_lost",
        sentence=(
            "For a negative number you take the layer of the same number without its sign. "
            "Negative numbers count from the end, as in a list."
        ),
        replaced={
            "attention_maps[layer]": "attention_maps[min(abs(layer), len(attention_maps) - 1)]",
        },
        price="mathematics",
    ),
    Misconception(
        name="sum_divided_by_two",
        sentence=(
            "You divide the sum of the heads by 2, which is their mean for two heads alone. There "
            "may be any number of them."
        ),
        replaced={
            "mean(dim=1)": "sum(dim=1) / 2",
        },
        price="mathematics",
    ),
    Misconception(
        name="identity_mixed_in",
        sentence=(
            "You mix the identity into the map, as the rollout of the next question does for the "
            "residual connection. Here the mean over the heads is asked for, and nothing else."
        ),
        replaced={
            "    return attention_maps[layer].mean(dim=1)": (
                "    mean = attention_maps[layer].mean(dim=1)\n"
                "    return 0.5 * mean + 0.5 * torch.eye(mean.shape[-1], dtype=mean.dtype)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="extreme_heads_averaged",
        sentence="You average two of the heads. The mean is over all of them.",
        code="""def standard_attention(attention_maps, layer):
    heads = attention_maps[layer]
    return 0.5 * (heads.amax(dim=1) + heads.amin(dim=1))
""",
        price="mathematics",
    ),
    Misconception(
        name="divided_by_the_layers",
        sentence=(
            "You divide the sum of the heads by the number of layers. A mean is divided by how "
            "many were added up: the heads of one layer."
        ),
        replaced={"mean(dim=1)": "sum(dim=1) / len(attention_maps)"},
        price="mathematics",
    ),
    Misconception(
        name="divided_by_the_positions",
        sentence=(
            "You divide the sum of the heads by the number of positions. How many heads were "
            "added up stands at another axis of the maps."
        ),
        replaced={"mean(dim=1)": "sum(dim=1) / attention_maps[layer].shape[-1]"},
        price="mathematics",
    ),
    Misconception(
        name="divided_by_the_sequences",
        sentence=(
            "You divide the sum of the heads by the number of sequences, which is the first axis "
            "of the maps. The heads are the second."
        ),
        replaced={"mean(dim=1)": "sum(dim=1) / len(attention_maps[layer])"},
        price="mathematics",
    ),
    Misconception(
        name="divided_by_one_head_less",
        sentence=(
            "You divide the sum of the heads by one less than there are. That belongs to "
            "variances; a mean is divided by all that were added up."
        ),
        replaced={"mean(dim=1)": "sum(dim=1) / max(1, attention_maps[layer].shape[1] - 1)"},
        price="mathematics",
    ),
]
