"""Known wrong answers to `cover`."""

from __future__ import annotations

from autograder.checking import Misconception

CHOSEN = "weights.topk(count, dim=-1).indices"
FILLED = "pixel_values.masked_fill(hidden[:, None], 0)"
TALL = "hidden.repeat_interleave(pixel_values.shape[2] // rows, dim=1)"
GRID = "hidden.unflatten(-1, grid)"

MISCONCEPTIONS = [
    Misconception(
        "smallest_weights_covered",
        "You cover the patches with the smallest weights. The test takes away what has the "
        "largest ones.",
        {CHOSEN: "weights.topk(count, dim=-1, largest=False).indices"},
        price="mathematics",
    ),
    Misconception(
        "all_but_those_covered",
        "You cover everything but the patches with the largest weights. These are the ones to "
        "cover.",
        {"hidden[:, None]": "~hidden[:, None]"},
        price="mathematics",
    ),
    Misconception(
        "column_first",
        "You fill the grid column by column, so other patches than the chosen ones are covered. "
        "The weights run row by row.",
        {GRID: "hidden.unflatten(-1, grid[::-1]).transpose(1, 2)"},
        price="mathematics",
    ),
    Misconception(
        "same_patches_for_all",
        "You cover the first image's patches in all images. Each image has weights of its own.",
        {CHOSEN: "weights[:1].topk(count, dim=-1).indices.expand(len(weights), -1)"},
        price="mathematics",
    ),
    Misconception(
        "covered_black",
        "You fill the patches with -1, the darkest value. Zero is asked for, the grey in the "
        "middle.",
        {FILLED: "pixel_values.masked_fill(hidden[:, None], -1)"},
        price="mathematics",
    ),
    Misconception(
        "one_channel_only",
        "You cover one channel of the images, so the others still show the patch. A pixel is "
        "covered in all its channels.",
        {
            FILLED: "torch.cat([pixel_values[:, :1].masked_fill(hidden[:, None], 0), "
            "pixel_values[:, 1:]], dim=1)"
        },
        price="mathematics",
    ),
    Misconception(
        "size_ranks",
        "You rank by absolute value. The largest weights are covered, and negative ones are small, "
        "however far from zero.",
        {CHOSEN: "weights.abs().topk(count, dim=-1).indices"},
        price="mathematics",
    ),
    Misconception(
        "pixels_for_patches",
        "You enlarge the grid by repeating all of it, so that single pixels all over the image are "
        "covered. Each place of the grid is one block of pixels.",
        {
            TALL: "hidden.repeat(1, pixel_values.shape[2] // rows, 1)",
        },
        price="mathematics",
    ),
    Misconception(
        "images_overwritten",
        "You write into the images that were handed in, so whoever called has lost them. Work on a "
        "copy.",
        {FILLED: "pixel_values.masked_fill_(hidden[:, None], 0)"},
        price="surroundings",
    ),
    Misconception(
        name="table_repeated_as_a_whole",
        price="mathematics",
        sentence=(
            "You lay the table of patches beside itself until it is as large as the image. Each "
            "of its entries has to become a block of pixels."
        ),
        replaced={
            (
                "    hidden = hidden.repeat_interleave(pixel_values.shape[2] // rows, dim=1)\n"
                "    hidden = hidden.repeat_interleave(pixel_values.shape[3] // columns, dim=2)  "
                "# (N, H, W)\n"
            ): (
                "    high, wide = pixel_values.shape[2] // rows, pixel_values.shape[3] // "
                "columns\n"
                "    hidden = hidden.repeat(1, high, wide)  # (N, H, W)\n"
            ),
        },
    ),
    Misconception(
        name="found_again_by_their_weights",
        price="edge",
        sentence=(
            "You find the chosen patches again by weights that are not zero. A weight of zero "
            "can be among the largest: keep the places, not the weights."
        ),
        replaced={
            (
                "    chosen = weights.topk(count, dim=-1).indices  # (N, count)\n"
                "    hidden = torch.zeros_like(weights, dtype=torch.bool).scatter(-1, chosen, "
                "True)\n"
            ): (
                "    largest, chosen = weights.topk(count, dim=-1)  # (N, count)\n"
                "    hidden = torch.zeros_like(weights).scatter(-1, chosen, largest) != 0\n"
            ),
        },
    ),
    Misconception(
        "weights_in_half_precision",
        "You compare the weights in fewer digits than they have, and close ones come out alike. "
        "Take them as they come.",
        {CHOSEN: "weights.half().topk(count, dim=-1).indices"},
        price="edge",
    ),
    Misconception(
        "images_in_single_precision",
        "You multiply the images by numbers in single precision, and images of another kind become "
        "that. The result has the dtype of the images.",
        {FILLED: "pixel_values * (~hidden[:, None]).float()"},
        price="edge",
    ),
    Misconception(
        "other_pixels_clamped",
        "You cut the numbers of the other pixels off at -1 and 1. These stay exactly as they are.",
        {FILLED: "pixel_values.clamp(-1, 1).masked_fill(hidden[:, None], 0)"},
        price="mathematics",
    ),
    Misconception(
        name="never_none",
        sentence="You cover one patch where none is asked for. A `count` of 0 is a number, too.",
        replaced={"weights.topk(count": "weights.topk(max(count, 1)"},
    ),
    Misconception(
        "none_means_all",
        "You cover everything where nothing is to be covered. What does your index or slice mean "
        "when `count` is 0?",
        {
            CHOSEN: "weights.sort(dim=-1, descending=True).values[:, [count - 1]]",
            "torch.zeros_like(weights, dtype=torch.bool).scatter(-1, chosen, True)": (
                "weights >= chosen"
            ),
        },
        price="edge",
    ),
    Misconception(
        "above_a_quantile",
        "You cover what lies above a quantile. It is reckoned between two weights and need not "
        "leave `count` of them above it; where every patch is covered, none lies below.",
        {
            "weights.topk(count, dim=-1).indices": (
                "weights.float().quantile(1 - count / weights.shape[1], dim=1, keepdim=True)"
            ),
            "torch.zeros_like(weights, dtype=torch.bool).scatter(-1, chosen, True)": (
                "(weights > chosen) & (count > 0)"
            ),
        },
    ),
    Misconception(
        name="grid_taken_for_a_square",
        sentence=(
            "You take the root of the number of patches for the number of rows and of columns. A "
            "wide grid may have as many patches as a square one: both numbers are in `grid`."
        ),
        replaced={
            "    rows, columns = grid\n": "    rows = columns = int(weights.shape[1] ** 0.5)\n",
            "hidden.unflatten(-1, grid)": "hidden.unflatten(-1, (rows, columns))",
        },
    ),
    Misconception(
        name="softmax_of_the_weights",
        price="edge",
        sentence=(
            "You turn the weights into shares by a softmax before you compare them, and of "
            "numbers that lie far apart all but one become zero. Compare them as they come."
        ),
        replaced={
            "weights.topk": "weights.softmax(dim=-1).topk",
        },
    ),
    Misconception(
        name="three_channels_covered",
        sentence="You cover three channels. An image may have another number of them.",
        code="""def cover(pixel_values, weights, count, grid):
    height, width = pixel_values.shape[-2:]
    chosen = weights.topk(count, dim=1).indices
    table = torch.zeros_like(weights, dtype=torch.bool).scatter(1, chosen, True)
    table = table.unflatten(1, tuple(grid))
    table = table.repeat_interleave(height // grid[0], dim=1).repeat_interleave(
        width // grid[1], dim=2
    )
    out = pixel_values.clone()
    out[:, :3] = out[:, :3].masked_fill(table[:, None], 0)
    return out
""",
        price="edge",
    ),
    Misconception(
        name="dtype_of_the_weights",
        sentence=(
            "What you multiply images with has the dtype of the weights, and they take it over. "
            "Images keep theirs."
        ),
        code="""def cover(pixel_values, weights, count, grid):
    rows, columns = grid
    N, C, H, W = pixel_values.shape
    keep = torch.ones_like(weights)
    keep.scatter_(1, weights.topk(count, dim=1).indices, 0)
    keep = keep.view(N, 1, rows, columns)
    keep = keep.repeat_interleave(H // rows, dim=2).repeat_interleave(W // columns, dim=3)
    return pixel_values * keep
""",
        price="edge",
    ),
    Misconception(
        name="one_left_at_the_threshold",
        sentence=(
            "Where all patches are to be covered you leave the one at the threshold. Take the "
            "`count` largest by their places."
        ),
        code="""def cover(pixel_values, weights, count, grid):
    rows, columns = grid
    N, C, H, W = pixel_values.shape
    ordered = weights.sort(dim=1, descending=True).values
    threshold = ordered[:, min(count, rows * columns - 1)][:, None]
    hidden = (weights > threshold).view(N, 1, rows, columns)
    hidden = hidden.repeat_interleave(H // rows, dim=2).repeat_interleave(W // columns, dim=3)
    return pixel_values.masked_fill(hidden, 0)
""",
        price="edge",
    ),
    Misconception(
        name="weights_in_the_dtype_of_images",
        sentence=(
            "You bring the weights to the dtype of the images first, in which some become equal. "
            "Compare them as they are."
        ),
        code="""def cover(pixel_values, weights, count, grid):
    rows, columns = grid
    n, _, height, width = pixel_values.shape
    weights = weights.to(pixel_values.dtype)
    chosen = weights.topk(count, dim=1).indices
    keep = torch.ones_like(weights).scatter(1, chosen, 0)
    keep = keep.view(n, 1, rows, columns)
    keep = keep.repeat_interleave(height // rows, 2).repeat_interleave(width // columns, 3)
    return pixel_values * keep
""",
    ),
    Misconception(
        "chosen_among_all_images",
        "You choose the largest weights of the whole batch, so that some images lose more patches "
        "than others. Each image loses `count` of its own.",
        {
            CHOSEN: "weights.flatten().topk(count * len(weights)).indices",
            "torch.zeros_like(weights, dtype=torch.bool).scatter(-1, chosen, True)": (
                "torch.zeros(weights.numel(), dtype=torch.bool).scatter(0, chosen, True)\n"
                "    hidden = hidden.view_as(weights)"
            ),
        },
        price="mathematics",
    ),
]
