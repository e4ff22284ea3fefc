"""Known wrong answers to `attention_distance`."""

from __future__ import annotations

from autograder.checking import Misconception

PLACE = "torch.cartesian_prod(torch.arange(rows), torch.arange(columns))"
MIDDLES = "patch_size * place.to(attentions[0])"
APART = "torch.cdist(middles, middles)"
CUT = "attention[:, :, 1:, 1:]"
NORMALISED = "weights = weights / weights.sum(dim=-1, keepdim=True)"
MEAN = "(weights * apart).sum(dim=-1).mean(dim=(0, 2))"

MISCONCEPTIONS = [
    Misconception(
        "not_weighted",
        "You take the mean of all distances, whatever the head looks at, so all heads get the same "
        "number. Each distance counts as much as the attention that goes there.",
        {MEAN: "(torch.ones_like(weights) * apart).mean(dim=(0, 2, 3))"},
        price="mathematics",
    ),
    Misconception(
        "mean_over_keys",
        "You take the mean over the patches that are looked at, though their weights already sum "
        "to one. Your distances are too small by the number of patches.",
        {MEAN: "(weights * apart).mean(dim=-1).mean(dim=(0, 2))"},
        price="mathematics",
    ),
    Misconception(
        "summed_over_patches",
        "You add up the distances of all patches that look, where their mean is asked for.",
        {MEAN: "(weights * apart).sum(dim=(2, 3)).mean(dim=0)"},
        price="mathematics",
    ),
    Misconception(
        "not_normalised_again",
        "You cut off the class token's share, and what is left of a row no longer sums to one. "
        "Make it do so before you weigh the distances.",
        {f"        {NORMALISED}\n": ""},
        price="mathematics",
    ),
    Misconception(
        "normalised_over_queries",
        "You make the columns sum to one. It is the row of the patch that looks which should.",
        {NORMALISED: "weights = weights / weights.sum(dim=-2, keepdim=True)"},
        price="mathematics",
    ),
    Misconception(
        "last_token_dropped",
        "You leave out the last patch and take the class token for the first. Which end of the "
        "sequence does the class token stand at?",
        {CUT: "attention[:, :, :-1, :-1]"},
        price="mathematics",
    ),
    Misconception(
        "class_token_looks_too",
        "You let the class token look along, as if it were the first patch. It has no place in the "
        "picture, so it is left out on both sides.",
        {CUT: "attention[:, :, :-1, 1:]"},
        price="mathematics",
    ),
    Misconception(
        "distance_in_patches",
        "You count the distance in patches. Pixels are asked for.",
        {MIDDLES: "place.to(attentions[0])"},
        price="mathematics",
    ),
    Misconception(
        "distance_along_the_streets",
        "You add the steps down and the steps to the side. The straight line between two patches "
        "is shorter.",
        {APART: "torch.cdist(middles, middles, p=1)"},
        price="mathematics",
    ),
    Misconception(
        "squared_distance",
        "You forgot the root: your distances are squared.",
        {APART: "torch.cdist(middles, middles).square()"},
        price="mathematics",
    ),
    Misconception(
        "steps_along_the_sequence",
        "You measure how far apart two patches stand in the sequence. Two patches below each other "
        "are neighbours in the picture, though a whole row lies between them in the sequence.",
        {
            PLACE: "torch.arange(rows * columns)",
            MIDDLES: "patch_size * place.to(attentions[0])[:, None]",
        },
        price="mathematics",
    ),
    Misconception(
        "columns_before_rows",
        "You number the patches column by column, or divide their numbers by the rows. The "
        "sequence runs through the grid row by row.",
        {
            PLACE: "torch.cartesian_prod(torch.arange(columns), torch.arange(rows))",
        },
        price="mathematics",
    ),
    Misconception(
        "heads_averaged",
        "You average over the heads as well, so each layer gets one number for all of them. Heads "
        "differ, and that is what the question is about.",
        {MEAN: "(weights * apart).sum(dim=-1).mean().expand(attention.shape[1])"},
        price="mathematics",
    ),
    Misconception(
        "one_image_only",
        "You look at the first image only. The mean goes over the whole batch.",
        {CUT: "attention[:1, :, 1:, 1:]"},
        price="mathematics",
    ),
    Misconception(
        "farthest_patch",
        "You take for each patch the largest weighted distance. All of them should be added up.",
        {MEAN: "(weights * apart).amax(dim=-1).mean(dim=(0, 2))"},
        price="mathematics",
    ),
    Misconception(
        "itself_left_out",
        "You leave out the weight that a patch gives to itself. It is a look of length zero, and "
        "counts as one.",
        {
            NORMALISED: "weights = weights * (apart > 0)\n"
            "        weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)"
        },
        price="mathematics",
    ),
    Misconception(
        name="weights_normalised_together",
        price="mathematics",
        sentence=(
            "You divide by the sum of all weights at once, so that a patch which looks much at "
            "the class token counts less. Each row has to sum to 1 by itself."
        ),
        replaced={
            ("        weights = weights / weights.sum(dim=-1, keepdim=True)\n"): (
                "        weights = weights / weights.sum(dim=(0, 2, 3), keepdim=True)\n"
            ),
            ("distances.append((weights * apart).sum(dim=-1).mean(dim=(0, 2)))"): (
                "distances.append((weights * apart).sum(dim=(0, 2, 3)))"
            ),
        },
    ),
    Misconception(
        "small_sums_held_up",
        "You do not divide by sums that are small, and rows that look at patches only a little "
        "come out too near. Divide by the sum, whatever it is.",
        {"weights.sum(dim=-1, keepdim=True)": "weights.sum(dim=-1, keepdim=True).clamp(min=1e-3)"},
    ),
    Misconception(
        "places_of_few_bits",
        "You count pixels in numbers that end at 255, and large pictures begin anew there. Count "
        "in numbers that are large enough.",
        {MIDDLES: f"({MIDDLES}).to(torch.uint8).to(attentions[0])"},
        price="edge",
    ),
    Misconception(
        "distances_kept_by_their_number",
        "You keep distances for the next call by the number of patches. A grid of 2 by 6 has as "
        "many as one of 6 by 2, and other distances.",
        {
            f"apart = {APART}": (
                "kept = attention_distance.__dict__\n"
                f"    apart = kept.setdefault((len(middles), patch_size), {APART})"
            )
        },
    ),
    Misconception(
        "small_number_added",
        "You add a small number to the sums that you divide by, and rows that look at patches only "
        "a little come out too near. Divide by the sum itself: it is never zero.",
        {"weights.sum(dim=-1, keepdim=True)": "(weights.sum(dim=-1, keepdim=True) + 1e-6)"},
    ),
    Misconception(
        "class_token_counted",
        "Your mean counts the class token among those who look, as if it looked no distance far. "
        "Only patches look here: how many of them are there?",
        {MEAN: "(weights * apart).sum(dim=(-1, -2)).mean(dim=0) / attention.shape[-1]"},
        price="mathematics",
    ),
    Misconception(
        "last_layer_for_all",
        "You measure the last layer and give its numbers to all layers. Each layer has a row of "
        "its own.",
        {CUT: "attentions[-1][:, :, 1:, 1:]"},
        price="mathematics",
    ),
    Misconception(
        name="grid_taken_for_a_square",
        sentence=(
            "You take the root of the number of patches for the number of columns. A wide grid "
            "may have as many patches as a square one: read rows and columns off `grid`."
        ),
        replaced={
            "    rows, columns = grid\n": (
                "    columns = int((attentions[0].shape[-1] - 1) ** 0.5)\n"
            ),
            "    place = torch.cartesian_prod(torch.arange(rows), torch.arange(columns))": (
                "    number = torch.arange(attentions[0].shape[-1] - 1)\n"
                "    place = torch.stack([number // columns, number % columns], dim=-1)"
            ),
        },
    ),
    Misconception(
        name="border_crossed",
        sentence=(
            "You measure distances across the border, as if the grid had no end. It has one."
        ),
        code="""def attention_distance(attentions, patch_size, grid):
    rows, columns = grid
    first = attentions[0]
    numbers = torch.arange(rows * columns, device=first.device)
    places = (
        torch.stack([numbers // columns, numbers % columns], dim=1).to(first.dtype) * patch_size
    )
    far = (places[:, None] - places[None]).abs()
    size = patch_size * torch.tensor([rows, columns], device=far.device)
    far = torch.where(far > 2 * size / 3, size - far, far).to(first.dtype)
    gaps = far.pow(2).sum(dim=-1).sqrt()
    found = []
    for layer in attentions:
        a = layer[:, :, 1:, 1:]
        a = a / a.sum(dim=-1, keepdim=True)
        found.append((a * gaps).sum(dim=-1).mean(dim=(0, 2)))
    return torch.stack(found)
""",
        price="mathematics",
    ),
    Misconception(
        name="sums_kept_from_below",
        sentence=(
            "You keep the sums of the weights above a number that is not small. Patches that give"
            " little weight to patches count like the others."
        ),
        code="""def attention_distance(attentions, patch_size, grid):
    rows, cols = grid
    coords = torch.tensor([(r, c) for r in range(rows) for c in range(cols)]).to(attentions[0])
    dist = (coords[:, None] - coords[None]).square().sum(-1).sqrt() * patch_size
    att = torch.stack(tuple(attentions))[..., 1:, 1:]
    att = att / att.sum(-1, keepdim=True).clamp(min=1e-2)
    return (att * dist).sum(-1).mean(dim=(1, 3))
""",
        price="edge",
    ),
    Misconception(
        name="distances_kept_for_a_grid",
        sentence=(
            "You keep the distances of a grid for later calls, and patches of another size get "
            "them as well. They depend on both."
        ),
        replaced={
            "def attention_distance(": "kept = {}\n\n\ndef attention_distance(",
            "    distances = []\n": "    apart = kept.setdefault(tuple(grid), apart).to(apart)\n"
            "    distances = []\n",
        },
    ),
]
