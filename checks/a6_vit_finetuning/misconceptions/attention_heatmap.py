"""Known wrong answers to `attention_heatmap`."""

from __future__ import annotations

from autograder.checking import Misconception

WEIGHTS = "attentions[-1][0, :, 0, 1:]"
MAPS = "weights.unflatten(-1, grid)"
LARGE = 'F.interpolate(maps[None], size=image_size, mode="bilinear")'

MISCONCEPTIONS = [
    Misconception(
        "column_first",
        "You fill the grid column by column, so the map is mirrored at its diagonal. The sequence "
        "runs row by row.",
        {MAPS: "weights.unflatten(-1, grid[::-1]).transpose(-2, -1)"},
        price="mathematics",
    ),
    Misconception(
        "first_layer",
        "You look at the first layer. What the model's head reads comes out of the last one.",
        {WEIGHTS: "attentions[0][0, :, 0, 1:]"},
        price="mathematics",
    ),
    Misconception(
        "last_patch_dropped",
        "You keep the weight that the class token gives itself and drop the last patch instead, so "
        "everything is shifted by one place.",
        {WEIGHTS: "attentions[-1][0, :, 0, :-1]"},
        price="mathematics",
    ),
    Misconception(
        "looks_at_the_class_token",
        "You read the column of the class token: how much the patches look at it. Its row is what "
        "it looks at.",
        {WEIGHTS: "attentions[-1][0, :, 1:, 0]"},
        price="mathematics",
    ),
    Misconception(
        "patches_look_at_patches",
        "You average how much all patches look at each patch. The class token's own look is asked "
        "for.",
        {WEIGHTS: "attentions[-1][0, :, 1:, 1:].mean(dim=1)"},
        price="mathematics",
    ),
    Misconception(
        "heads_averaged",
        "You average over the heads. Each of them should have a map of its own.",
        {WEIGHTS: "attentions[-1][0, :, 0, 1:].mean(dim=0, keepdim=True)"},
        price="mathematics",
    ),
    Misconception(
        "layers_averaged",
        "You average over the layers. The last one is asked for.",
        {WEIGHTS: "torch.stack(tuple(attentions)).mean(dim=0)[0, :, 0, 1:]"},
        price="mathematics",
    ),
    Misconception(
        "nearest_pixel",
        "You enlarge the map into blocks of one colour. Bilinear interpolation is asked for.",
        {LARGE: "F.interpolate(maps[None], size=image_size)"},
        price="mathematics",
    ),
    Misconception(
        "corners_aligned",
        "Your interpolation sets the middles of the outer patches to the corners of the image. "
        "Leave this at its default: a patch covers an area.",
        {LARGE: 'F.interpolate(maps[None], size=image_size, mode="bilinear", align_corners=True)'},
        price="mathematics",
    ),
    Misconception(
        "width_before_height",
        "You exchange height and width of the image.",
        {"size=image_size": "size=image_size[::-1]"},
        price="mathematics",
    ),
    Misconception(
        "rescaled_to_one",
        "You scale each map so that its brightest spot is one, so weak looks seem as strong as "
        "strong ones. The weights should stay as they are.",
        {"return large[0]": "return large[0] / large[0].amax(dim=(-2, -1), keepdim=True)"},
        price="mathematics",
    ),
    Misconception(
        "normalised_again",
        "You make the weights over the patches sum to one again. Here they should stay as they "
        "are, so that one sees how much the class token keeps to itself.",
        {WEIGHTS: f"F.normalize({WEIGHTS}, p=1, dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        "all_tokens_averaged",
        "You average over all tokens that look, the class token among them. Its own look is asked "
        "for.",
        {WEIGHTS: "attentions[-1][0].mean(dim=1)[:, 1:]"},
        price="mathematics",
    ),
    Misconception(
        "enlarged_by_whole_numbers",
        "You enlarge by whole numbers, which gives another size where the image is no multiple of "
        "the grid. Name the size that should come out instead.",
        {
            "    large = ": (
                "    times = image_size[0] // grid[0], image_size[1] // grid[1]\n    large = "
            ),
            "size=image_size": "scale_factor=times",
        },
        price="mathematics",
    ),
    Misconception(
        "one_number_for_both_sides",
        "You enlarge both sides by one number, which is right only where image and grid have the "
        "same shape. Name the size that should come out instead.",
        {"size=image_size": "scale_factor=image_size[0] // grid[0]"},
        price="mathematics",
    ),
    Misconception(
        "mean_of_the_heads_for_each",
        "Your maps are all the mean over the heads. Each head has a look of its own.",
        {
            "attentions[-1][0, :, 0, 1:]": (
                "attentions[-1][0, :, 0, 1:]\n"
                "    weights = weights.mean(dim=0, keepdim=True).expand_as(weights)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        "width_first_and_reshaped",
        "You exchange height and width of the image, and reshaping the map afterwards tears its "
        "lines apart. A size starts with the height.",
        {
            "size=image_size": "size=image_size[::-1]",
            "return large[0]": "return large[0].reshape(-1, *image_size)",
        },
        price="mathematics",
    ),
    Misconception(
        "layers_multiplied",
        "You multiply the attentions of all layers, which is another way to look into a model. The "
        "last layer alone is asked for.",
        {
            "    weights = attentions[-1][0, :, 0, 1:]": (
                "    joint = attentions[-1]\n"
                "    for attention in reversed(attentions[:-1]):\n"
                "        joint = joint @ attention\n"
                "    weights = joint[0, :, 0, 1:]"
            )
        },
        price="mathematics",
    ),
    Misconception(
        "bicubic",
        "You interpolate with cubic curves, which reach below the least and above the largest "
        "weight. Bilinear interpolation is asked for.",
        {LARGE: 'F.interpolate(maps[None], size=image_size, mode="bicubic")'},
        price="mathematics",
    ),
    Misconception(
        "stretched_from_zero_to_one",
        "You stretch each map until it reaches from zero to one, so weak looks seem as strong as "
        "strong ones. The weights should stay as they are.",
        {
            "return large[0]": (
                "low = large[0].amin(dim=(-2, -1), keepdim=True)\n"
                "    high = large[0].amax(dim=(-2, -1), keepdim=True)\n"
                "    return (large[0] - low) / (high - low + 1e-8)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="grid_taken_for_a_square",
        sentence=(
            "You take the root of the number of patches for the number of rows and of columns. A "
            "wide grid may have as many patches as a square one: both numbers are in `grid`."
        ),
        replaced={
            "    maps = weights.unflatten(-1, grid)": (
                "    side = int(weights.shape[-1] ** 0.5)\n"
                "    maps = weights.unflatten(-1, (side, side))"
            ),
        },
    ),
    Misconception(
        name="fourth_layer_for_the_last",
        sentence="With many layers you take another than the last.",
        code="""def attention_heatmap(attentions, grid, image_size):
    weights = attentions[min(3, len(attentions) - 1)][0, :, 0, 1:]
    maps = weights.reshape(1, -1, *grid)
    return F.interpolate(maps, size=tuple(image_size), mode="bilinear")[0]
""",
        price="edge",
    ),
    Misconception(
        name="smallest_taken_off",
        sentence=(
            "You take the smallest weight of each map off. The weights are shown as they are."
        ),
        code="""def attention_heatmap(attentions, grid, image_size):
    last = attentions[-1][0]
    maps = last[:, 0, 1:].unflatten(-1, tuple(grid))
    maps = maps - maps.amin(dim=(1, 2), keepdim=True)
    return F.interpolate(maps.unsqueeze(0), size=tuple(image_size), mode="bilinear").squeeze(0)
""",
        price="mathematics",
    ),
    Misconception(
        "second_layer_for_the_last",
        "You take the second layer, which is the last one of a model of two. The last stands at "
        "-1, however many there are.",
        replaced={"attentions[-1]": "attentions[min(1, len(attentions) - 1)]"},
        price="mathematics",
    ),
    Misconception(
        "faded_at_the_border",
        "Your map fades to 0 at its border, where nothing lies beside the outermost weights. As "
        "`F.interpolate` does it, the outermost ones go on.",
        code="""
def attention_heatmap(attentions, grid, image_size):
    maps = attentions[-1][:, :, 0, 1:].unflatten(-1, grid)
    own = {"dtype": maps.dtype, "device": maps.device}
    places = [(torch.arange(n, **own) + 0.5) * 2 / n - 1 for n in image_size]
    rows, columns = torch.meshgrid(*places, indexing="ij")
    where = torch.stack((columns, rows), dim=-1).unsqueeze(0)
    return F.grid_sample(maps, where, align_corners=False).squeeze(0)
""",
        price="mathematics",
    ),
]
