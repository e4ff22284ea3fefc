"""Checks of `patchify(image, patch_size)` and `unpatchify(patches)`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_shape,
    expect_unchanged,
    numbers,
    points,
    probe,
    values,
)
from autograder.results import sentences

from . import wording


@probe
def cut(answers: Any, image: Any, patch_size: int) -> dict[str, Any]:
    return {"patches": answers.patchify(image, patch_size), "image": image}


@probe
def joined(answers: Any, patches: Any) -> dict[str, Any]:
    return {"image": answers.unpatchify(patches), "patches": patches}


@probe
def there_and_back(answers: Any, image: Any, patch_size: int) -> dict[str, Any]:
    patches = answers.patchify(image, patch_size)
    back = answers.unpatchify(patches)
    try:  # the meta device stands in for any device that is not the CPU
        elsewhere = answers.patchify(image.to("meta"), patch_size)
        device = answers.unpatchify(elsewhere).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"patches": patches, "back": back, "device": device}


# Not square; as many rows as columns; one patch alone; patches of one pixel; one row of patches.
CASES: dict[str, tuple[torch.Tensor, int]] = {
    "wide": (numbers(1, 6, 9, 2), 3),
    "square": (numbers(2, 8, 8, 3), 4),
    "one_patch": (numbers(3, 5, 5, 1), 5),
    "one_pixel": (numbers(4, 3, 2, 3), 1),
    "one_row": (numbers(5, 2, 8, 3), 2),
}


def _dims(image: torch.Tensor, size: int) -> dict[str, int]:
    height, width, channels = image.shape
    return {"rows": height // size, "columns": width // size, "P": size, "Q": size, "C": channels}


def patches_of(image: torch.Tensor, size: int) -> torch.Tensor:
    """The patches by their definition, one by one."""
    height, width, _ = image.shape
    return torch.stack(
        [
            torch.stack([image[y : y + size, x : x + size] for x in range(0, width, size)])
            for y in range(0, height, size)
        ]
    )


@points(2)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """`patchify` makes (rows, columns, P, P, C) of (H, W, C)."""
    for image, size in CASES.values():
        reply = student.run(cut, image=image, patch_size=size)
        expect_shape(reply, "patches", **_dims(image, size))


@points(3)
def check_patches_hold_their_pixels(student: Student, expected: Expected) -> None:
    """`patches[r, c]` is the part of the image in row r and column c of the grid."""
    for case, (image, size) in CASES.items():
        reply = student.run(cut, image=image, patch_size=size)
        expected.match(case, Reply.of({"patches": reply.tensor("patches")}), atol=0, rtol=0)
        right = torch.equal(reply.tensor("patches"), patches_of(image, size))
        expect(right, wording.OTHER_PIXELS)


@values
@points(3)
def check_unpatchify_is_the_way_back(student: Student, expected: Expected) -> None:
    """`unpatchify` makes the image of its patches again."""
    for image, size in CASES.values():
        reply = student.run(joined, patches=patches_of(image, size))
        expect_shape(reply, "image", H=image.shape[0], W=image.shape[1], C=image.shape[2])
        expect(torch.equal(reply.tensor("image"), image), wording.NOT_UNDONE)


@points(1)
def check_nothing_is_lost(student: Student, expected: Expected) -> None:
    """There and back gives the image exactly, and the inputs stay as they are."""
    for image, size in CASES.values():
        reply = student.run(there_and_back, image=image, patch_size=size)
        expect_shape(reply, "patches", **_dims(image, size))
        expect(torch.equal(reply.tensor("back"), image), wording.NOT_UNDONE)
        expect_unchanged(student.run(cut, image=image, patch_size=size), {"image": image})
        patches = patches_of(image, size)
        expect_unchanged(student.run(joined, patches=patches), {"patches": patches})


@points(1)
def check_keeps_dtype_and_device(student: Student, expected: Expected) -> None:
    """Patches and image have the dtype and the device of what was given."""
    whole = torch.arange(4 * 6 * 3).reshape(4, 6, 3)
    for dtype in (torch.uint8, torch.float64):
        image = whole.to(dtype)
        reply = student.run(there_and_back, image=image, patch_size=2)
        for name in ("patches", "back"):
            found = reply.tensor(name).dtype
            expect(found == dtype, sentences.dtype(name, found, dtype))
        expect(reply["device"] == "meta", sentences.other_device())
