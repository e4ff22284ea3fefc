"""Known wrong answers to `patchify` and `unpatchify`."""

from __future__ import annotations

from autograder.checking import Misconception

STRIPS = "image.reshape(rows, patch_size, columns, patch_size, channels)"
PATCHES = "return strips.transpose(1, 2)"
SIZES = "rows, columns = height // patch_size, width // patch_size"
JOINED = "patches.transpose(1, 2).reshape(rows * high, columns * wide, channels)"

MISCONCEPTIONS = [
    Misconception(
        "reshaped_only",
        "You only reshape the image, which keeps its numbers in their order: a patch of yours "
        "holds pixels that lie in one line. Axes have to change places too.",
        {
            STRIPS: "image.reshape(rows, columns, patch_size, patch_size, channels)",
            PATCHES: "return strips",
        },
        price="mathematics",
    ),
    Misconception(
        "axes_not_swapped",
        "You cut both sides of the image into pieces, but leave the axes in the order in which "
        "they come out. The grid's rows and columns should stand in front, the pixels behind.",
        {PATCHES: "return strips"},
        price="mathematics",
    ),
    Misconception(
        "columns_before_rows",
        "Your grid counts columns first, so the patch at the top right comes out at the bottom "
        "left. Rows come first.",
        {PATCHES: "return strips.permute(2, 0, 1, 3, 4)"},
        price="mathematics",
    ),
    Misconception(
        "patches_turned",
        "Within each patch rows and columns have changed places, so every patch is mirrored at "
        "its diagonal. Check the order of the two axes of pixels.",
        {PATCHES: "return strips.permute(0, 2, 3, 1, 4)"},
        price="mathematics",
    ),
    Misconception(
        "patches_in_one_row",
        "Your patches stand in one long row. The question asks for a grid with rows and columns.",
        {PATCHES: "return strips.transpose(1, 2).flatten(0, 1)"},
        price="mathematics",
    ),
    Misconception(
        "pixels_flattened",
        "You flatten each patch into a list of numbers. Here it should stay a small picture.",
        {PATCHES: "return strips.transpose(1, 2).flatten(2)"},
        price="mathematics",
    ),
    Misconception(
        "channels_first",
        "You move the colours in front of the pixels of a patch. Pictures keep them last.",
        {PATCHES: "return strips.permute(0, 2, 4, 1, 3)"},
        price="mathematics",
    ),
    Misconception(
        "size_and_number_mixed_up",
        "You take the size of a patch for the number of patches on a side. Divide the image by it "
        "to get that number.",
        {
            STRIPS: "image.reshape(patch_size, rows, patch_size, columns, channels)",
        },
        price="mathematics",
    ),
    Misconception(
        "overlapping_patches",
        "Your window moves on by one pixel, so the patches overlap. They should lie side by side.",
        code="""
def patchify(image, patch_size):
    windows = image.unfold(0, patch_size, 1).unfold(1, patch_size, 1)
    return windows.permute(0, 1, 3, 4, 2)


def unpatchify(patches):
    rows, columns, high, wide, channels = patches.shape
    return patches.transpose(1, 2).reshape(rows * high, columns * wide, channels)
""",
        price="mathematics",
    ),
    Misconception(
        "joined_without_swapping",
        "Your `unpatchify` only reshapes, so the lines of a patch follow each other in one line of "
        "the image. The axes have to change places first.",
        {JOINED: "patches.reshape(rows * high, columns * wide, channels)"},
        price="mathematics",
    ),
    Misconception(
        "joined_column_by_column",
        "Your `unpatchify` reads the grid column by column. It was cut row by row.",
        {JOINED: "patches.permute(1, 2, 0, 3, 4).reshape(rows * high, columns * wide, channels)"},
        price="mathematics",
    ),
    Misconception(
        "joined_patches_turned",
        "Your `unpatchify` mirrors every patch at its diagonal. Check the order of the two axes of "
        "pixels.",
        {JOINED: "patches.permute(0, 3, 1, 2, 4).reshape(rows * high, columns * wide, channels)"},
        price="mathematics",
    ),
    Misconception(
        "reshaped_both_ways",
        "Both of your functions only reshape. They undo each other, and yet a patch holds pixels "
        "that follow each other in a line of the image.",
        {
            STRIPS: "image.reshape(rows, columns, patch_size, patch_size, channels)",
            PATCHES: "return strips",
            JOINED: "patches.reshape(rows * high, columns * wide, channels)",
        },
        price="mathematics",
    ),
    Misconception(
        "columns_before_rows_both_ways",
        "Both of your functions walk down the columns of the grid. They undo each other, and yet "
        "the second patch lies below the first one, where it should lie beside it.",
        {
            PATCHES: "return strips.permute(2, 0, 1, 3, 4).reshape_as(strips.transpose(1, 2))",
            JOINED: (
                "patches.reshape(columns, rows, high, wide, channels).permute(1, 2, 0, 3, 4)"
                ".reshape(rows * high, columns * wide, channels)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        "turned_both_ways",
        "Both of your functions exchange the two axes of pixels. They undo each other, and yet "
        "every patch comes out mirrored at its diagonal.",
        {
            PATCHES: "return strips.permute(0, 2, 3, 1, 4)",
            JOINED: (
                "patches.permute(0, 3, 1, 2, 4).reshape(rows * high, columns * wide, channels)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        "channels_first_both_ways",
        "Both of your functions have the colours of a patch in front of its pixels. The picture "
        "has them last, and so should the patches.",
        {
            PATCHES: "return strips.permute(0, 2, 4, 1, 3)",
            "rows, columns, high, wide, channels = patches.shape": (
                "rows, columns, channels, high, wide = patches.shape"
            ),
            JOINED: (
                "patches.permute(0, 3, 1, 4, 2).reshape(rows * high, columns * wide, channels)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        "always_floats",
        "You turn the pixels into floating-point numbers. Cutting a picture needs no change of "
        "dtype.",
        {STRIPS: f"{STRIPS}.float()"},
        price="edge",
    ),
    Misconception(
        "joined_for_squares_only",
        "Your `unpatchify` takes the grid to have as many rows as columns. Read both numbers off "
        "the patches.",
        {
            JOINED: "patches.transpose(1, 2).reshape(columns * high, columns * wide, channels)",
        },
        price="mathematics",
    ),
    Misconception(
        name="rows_for_columns",
        price="mathematics",
        sentence=(
            "You count as many columns of patches as there are rows. An image need not be as "
            "wide as it is high."
        ),
        replaced={
            ("rows, columns = height // patch_size, width // patch_size"): (
                "rows = columns = height // patch_size"
            ),
        },
    ),
    Misconception(
        name="through_single_precision",
        price="edge",
        sentence=(
            "You pass the numbers through single precision, where large whole numbers are "
            "rounded. Cutting changes no number, so no conversion is needed."
        ),
        replaced={
            "strips = image.reshape(": "strips = image.float().to(image.dtype).reshape(",
        },
    ),
    Misconception(
        "joined_as_wide_as_high",
        "Your `unpatchify` counts the rows twice, so it works for square pictures alone. A picture "
        "need not be as wide as it is high.",
        {JOINED: "patches.transpose(1, 2).reshape(rows * high, rows * wide, channels)"},
        price="mathematics",
    ),
    Misconception(
        "always_three_channels",
        "Both of your functions take it that there are three channels. The last axis tells how "
        "many there are.",
        {
            STRIPS: "image.reshape(rows, patch_size, columns, patch_size, 3)",
            JOINED: "patches.transpose(1, 2).reshape(rows * high, columns * wide, 3)",
        },
        price="mathematics",
    ),
    Misconception(
        "overlapping_both_ways",
        "Both of your functions take it that the patches overlap. They undo each other, and yet "
        "patches should lie side by side.",
        code="""
def patchify(image, patch_size):
    windows = image.unfold(0, patch_size, 1).unfold(1, patch_size, 1)
    return windows.permute(0, 1, 3, 4, 2)


def unpatchify(patches):
    size = patches.shape[2]
    patches = patches[::size, ::size]
    rows, columns, high, wide, channels = patches.shape
    return patches.transpose(1, 2).reshape(rows * high, columns * wide, channels)
""",
        price="mathematics",
    ),
    Misconception(
        "channels_read_first",
        "You read the shape of the picture as channels, height and width. A picture has its "
        "channels last here.",
        code="""
def patchify(image, patch_size):
    channels, height, width = image.shape
    rows, columns = height // patch_size, width // patch_size
    strips = image.reshape(channels, rows, patch_size, columns, patch_size)
    return strips.permute(1, 3, 2, 4, 0)


def unpatchify(patches):
    rows, columns, high, wide, channels = patches.shape
    return patches.transpose(1, 2).reshape(rows * high, columns * wide, channels)
""",
        price="mathematics",
    ),
    Misconception(
        "one_row_both_ways",
        "Both of your functions keep the patches in one long row, from which nobody can tell how "
        "wide the picture was. The grid has an axis for its rows and one for its columns.",
        code="""
def patchify(image, patch_size):
    height, width, channels = image.shape
    rows, columns = height // patch_size, width // patch_size
    strips = image.reshape(rows, patch_size, columns, patch_size, channels)
    return strips.transpose(1, 2).flatten(0, 1)


def unpatchify(patches):
    count, high, wide, channels = patches.shape
    rows = int(count**0.5)
    grid = patches.reshape(rows, count // rows, high, wide, channels)
    return grid.transpose(1, 2).reshape(rows * high, -1, channels)
""",
        price="mathematics",
    ),
    Misconception(
        "whole_numbers_scaled",
        "You bring pixels that are whole numbers into the range from 0 to 1. Cutting changes no "
        "number, and no dtype.",
        {
            "    height, width, channels = image.shape\n": (
                "    if image.dtype == torch.uint8:\n"
                "        image = image / 255\n"
                "    height, width, channels = image.shape\n"
            )
        },
    ),
    Misconception(
        "pixels_dealt_out_both_ways",
        "Your patches hold pixels that lie far apart in the picture, as if these were dealt out to "
        "the patches in turn. Both functions undo each other, and yet a patch is one piece of it.",
        {
            STRIPS: "image.reshape(patch_size, rows, patch_size, columns, channels)",
            PATCHES: "return strips.permute(1, 3, 0, 2, 4)",
            JOINED: (
                "patches.permute(2, 0, 3, 1, 4).reshape(high * rows, wide * columns, channels)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        "windows_behind_the_channels",
        "Your windows come out behind the channels, and you only reshape that, which mixes colours "
        "with pixels. Axes have to change places where their order is another one.",
        {
            STRIPS: "image.unfold(0, patch_size, patch_size).unfold(1, patch_size, patch_size)",
            PATCHES: "return strips.reshape(rows, columns, patch_size, patch_size, channels)",
        },
        price="mathematics",
    ),
    Misconception(
        "root_of_the_number_of_patches",
        "Your `unpatchify` takes the root of the number of patches for the number of rows. A wide "
        "picture may have as many patches as a square one: read both numbers off the patches.",
        {
            JOINED: "_joined(patches.flatten(0, 1), high, channels)",
            "def patchify(": (
                "def _joined(flat, high, channels):\n"
                "    side = int(len(flat) ** 0.5)\n"
                "    grid = flat.unflatten(0, (side, -1)).transpose(1, 2)\n"
                "    return grid.reshape(side * high, -1, channels)\n"
                "\n"
                "\n"
                "def patchify("
            ),
        },
    ),
    Misconception(
        "fourth_channel_dropped",
        "Your patches hold the first three channels of a picture. It may have more than these: "
        "nothing is to be lost.",
        {STRIPS: "image[..., :3].reshape(rows, patch_size, columns, patch_size, -1)"},
    ),
    Misconception(
        name="channels_guessed",
        sentence=(
            "You take a picture whose height could be a number of channels for one that has its "
            "channels first. A picture may be as low as that: here its channels are always last."
        ),
        replaced={
            "    height, width, channels = image.shape": (
                "    if image.shape[0] in (1, 3):\n"
                "        image = image.permute(1, 2, 0)\n"
                "    height, width, channels = image.shape"
            ),
        },
    ),
    Misconception(
        name="rescaled_by_largest",
        sentence=(
            "You rescale images by what numbers you find in them. They are cut into patches as "
            "they are."
        ),
        code="""def patchify(image, patch_size):
    pixels = image if image.max() > 1 else image * 255
    arr = pixels.numpy()
    rows = np.split(arr, arr.shape[0] // patch_size, axis=0)
    grid = [np.split(row, row.shape[1] // patch_size, axis=1) for row in rows]
    out = torch.from_numpy(np.stack([np.stack(line) for line in grid]))
    return out.to(image.dtype)


def unpatchify(patches):
    return torch.cat([torch.cat(list(line), dim=1) for line in patches], dim=0)
""",
        price="edge",
    ),
]
