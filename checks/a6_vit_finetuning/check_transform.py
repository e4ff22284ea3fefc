"""Checks of `transform(batch)`: what the notebook's processor makes of images of any kind."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_shape,
    points,
)

from . import wording
from .pictures import again, inputs, transformed

SIDE = 48
# Images of several sizes, larger and smaller than the model's; a batch of one.
COLOUR = inputs(1, "RGB RGB RGB", 240, 170)
CASES = {
    "colour": COLOUR,
    "one_small_image": inputs(2, "RGB", 30, 41),
    "one_large_image": inputs(5, "RGB", 1100, 300),
}
OTHER_MODES = {
    "modes": inputs(3, "L RGBA RGB P CMYK LA", 60, 64),
    "modes_behind": inputs(4, "RGB RGB L RGB RGBA RGB", 60, 64),
}


def _reply(student: Student, **given: Any) -> Reply:
    reply = student.run(transformed, **given)
    expect("instead" not in reply, wording.NO_DICTIONARY)
    return reply


def _pixels(reply: Reply, count: int) -> Reply:
    expect_shape(reply, "pixel_values", N=count, channels=3, height=SIDE, width=SIDE)
    return Reply.of({"pixel_values": reply.tensor("pixel_values")})


@points(0.4, text='`"pixel_values"`, a tensor of shape (N, 3, 48, 48)')
def check_shape_fits(student: Student) -> None:
    """`pixel_values` has the shape (N, 3, 48, 48), whatever the sizes of the images."""
    for given in CASES.values():
        reply = _reply(student, **given)
        count = len(given["images"])
        expect_floats(reply, "pixel_values", N=count, channels=3, height=SIDE, width=SIDE)


@points(2, text="that the notebook's `processor` makes of the images")
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The pixel values are right, image by image."""
    for case, given in CASES.items():
        reply = _reply(student, **given)
        expected.match(case, _pixels(reply, len(given["images"])), atol=1e-4)


@points(1.2, text="An image that is not in RGB (grey, or with transparency) is converted first")
def check_other_modes_become_rgb(student: Student, expected: Expected) -> None:
    """Images that are grey, have transparency or other modes are converted to RGB first."""
    for case, given in OTHER_MODES.items():
        reply = _reply(student, **given)
        found = _pixels(reply, len(given["labels"]))
        if not expected.accepts(case, found, atol=1e-4):
            colour = _pixels(_reply(student, **COLOUR), len(COLOUR["labels"]))
            expect(not expected.accepts("colour", colour, atol=1e-4), wording.OTHER_COLOURS)
        expected.match(case, found, atol=1e-4)
        expect(reply["kept"] is True, wording.BATCH_CHANGED)


@points(0.8, text="take the processor that came with the model and never write these numbers")
def check_the_processor_does_the_work(student: Student, expected: Expected) -> None:
    """With another processor of another size and another mean, the pixel values follow."""
    reply = _reply(student, **COLOUR, other_size=torch.tensor([20, 28]))
    found = reply.tensor("pixel_values")
    sized = Reply.of({"pixel_values": found})
    if not expected.accepts("other_processor", sized, atol=1e-4):
        colour = _pixels(_reply(student, **COLOUR), len(COLOUR["labels"]))
        expect(not expected.accepts("colour", colour, atol=1e-4), wording.OTHER_PROCESSOR)
    expected.match("other_processor", sized, atol=1e-4)


@points(2, text='`"labels"`, the labels, unchanged and in their order')
def check_labels_are_kept(student: Student) -> None:
    """`labels` holds the labels of the batch, unchanged and in their order."""
    for given in CASES.values():
        reply = _reply(student, **given)
        expect("labels" in reply, wording.OTHER_LABELS)
        found = reply.tensor("labels")
        kept = found.shape == given["labels"].shape and bool((found == given["labels"]).all())
        expect(kept and not found.is_floating_point(), wording.OTHER_LABELS)


@points(0.4, text="It returns a dictionary with two entries")
def check_returns_two_entries(student: Student) -> None:
    """The result is a dictionary with `pixel_values` and `labels`, and nothing else."""
    names = _reply(student, **COLOUR)["names"]
    expect(names == "labels pixel_values", wording.OTHER_ENTRIES)


@points(0.8, text="lists and dictionaries that are handed in")
def check_the_batch_stays_as_it_is(student: Student) -> None:
    """The batch and its images are after a call what they were before."""
    for given in CASES.values():
        reply = _reply(student, **given)
        expect(reply["kept"] is True, wording.BATCH_CHANGED)
        reply.tensor("pixel_values")


@points(0.4, text="A second call knows nothing of the first")
def check_a_second_call_is_like_the_first(student: Student) -> None:
    """The same images give the same pixel values again, and nothing is drawn at random."""
    reply = student.run(again, **CASES["colour"])
    expect("instead" not in reply, wording.NO_DICTIONARY)
    same = torch.equal(reply.tensor("first"), reply.tensor("last"))
    expect(same and reply["drew"] is False, wording.OTHER_AGAIN)
