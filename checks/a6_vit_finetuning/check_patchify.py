"""Checks of `patchify(image, patch_size)` and of its way back, `unpatchify(patches)`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Integers,
    Probe,
    Student,
    expect,
    expect_shape,
    numbers,
    points,
    probe,
    values,
)
from autograder.results import sentences

from . import wording

SIZES = {"rows": 3, "columns": 4, "P": 2, "C": 5}
PATCHES = "rows columns P P C"
IMAGE = "rows*P columns*P C"
PICTURES = {
    "for a large picture": {"rows": 11, "columns": 17},
    "for a wide picture": {"rows": 2, "columns": 8},  # as many patches as a square one has
}


def cut(patchify: Any, image: Any, side: Any) -> Any:
    return patchify(image, len(side))


there = Battery(
    Domain(
        answer="patchify",
        sizes=SIZES,
        inputs={"image": IMAGE, "side": Integers("P", 0, 2)},  # as long as a patch is wide
        returns={"patches": PATCHES},
        call=Probe(cut),
        more=PICTURES,
        differentiable=False,
        atol=0,
        rtol=0,
    ),
    **{"values": 1.6, "sizes": 1.2, "kind": 0.4, "care": 0.4},
)
back = Battery(
    Domain(
        answer="unpatchify",
        part="back",
        sizes=SIZES,
        inputs={"patches": PATCHES},
        returns={"image": IMAGE},
        more=PICTURES,
        differentiable=False,
        atol=0,
        rtol=0,
    ),
    **{"values": 1.2, "sizes": 1.2, "kind": 0.4, "care": 0.4},
)


@probe
def there_and_back(answers: Any, image: Any, patch_size: int) -> dict[str, Any]:
    patches = answers.patchify(image, patch_size)
    return {"patches": patches, "image": answers.unpatchify(patches)}


@values
@points(0.8, text="equals the image exactly")
def check_nothing_is_lost(student: Student) -> None:
    """There and back gives the image exactly."""
    for shape, size in (((6, 9, 2), 3), ((8, 8, 3), 4), ((5, 5, 1), 5), ((3, 2, 3), 1)):
        image = numbers(1, *shape)
        reply = student.run(there_and_back, image=image, patch_size=size)
        grid = sorted((shape[0] // size, shape[1] // size))  # its order is asked elsewhere
        cut = reply.tensor("patches").shape
        expect(len(cut) == 5 and sorted(cut[:2]) == grid, wording.NOT_CUT)
        expect_shape(reply, "image", H=shape[0], W=shape[1], C=shape[2])
        expect(torch.equal(reply.tensor("image"), image), wording.NOT_UNDONE)
    exact = 2**24 + torch.arange(4 * 6 * 3).reshape(4, 6, 3)  # single precision holds every second
    for image in (exact, numbers(2, 4, 6, 3).double() + 1e-9):
        reply = student.run(there_and_back, image=image, patch_size=2)
        expect(torch.equal(reply.tensor("image"), image), wording.NOT_UNDONE)


@points(0.4, text="The dtype stays as it is")
def check_whole_numbers_stay_whole(student: Student) -> None:
    """Pixels that are whole numbers from 0 to 255 come out as such."""
    image = torch.arange(4 * 6 * 3).reshape(4, 6, 3).to(torch.uint8)
    reply = student.run(there_and_back, image=image, patch_size=2)
    for name in ("patches", "image"):
        found = reply.tensor(name).dtype
        expect(found == torch.uint8, sentences.dtype(name, found, torch.uint8))
