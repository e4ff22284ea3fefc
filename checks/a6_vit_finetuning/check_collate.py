"""Checks of `collate_fn(batch)`: one tensor of images, one of labels."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_shape,
    numbers,
    points,
    probe,
)
from autograder.results import sentences

from . import wording


@probe
def collated(answers: Any, pixels: Any, labels: Any) -> dict[str, Any]:
    from collections.abc import Mapping

    batch = [
        {"pixel_values": image.clone(), "labels": label}
        for image, label in zip(pixels.flip(0), labels.flip(0).tolist(), strict=True)
    ]
    result = answers.collate_fn(batch)
    if not isinstance(result, Mapping):
        return {"instead": type(result).__name__}
    names = ("pixel_values", "labels")
    found = {name: result[name] for name in names if name in result}
    given = torch.stack([example["pixel_values"] for example in batch])
    kept = [example["labels"] for example in batch]
    return {**found, "given": given, "kept": torch.tensor(kept)}


# Images that are not square; a batch of one; a batch as long as its images have channels.
CASES = {
    "four": {"pixels": numbers(1, 4, 3, 5, 6), "labels": torch.tensor([3, 0, 2, 0])},
    "one": {"pixels": numbers(2, 1, 3, 4, 2), "labels": torch.tensor([6])},
    "three": {"pixels": numbers(3, 3, 3, 3, 3), "labels": torch.tensor([1, 9, 5])},
}


def _turned(inputs: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """What the batch has to hold: its first example is the last that was sent."""
    return {name: tensor.flip(0) for name, tensor in inputs.items()}


def _reply(student: Student, inputs: dict[str, torch.Tensor]) -> Reply:
    reply = student.run(collated, **inputs)
    expect("instead" not in reply, wording.NO_DICTIONARY)
    return reply


@points(2)
def check_shapes_and_dtypes_fit(student: Student, expected: Expected) -> None:
    """`pixel_values` has the shape (N, 3, H, W), and `labels` the shape (N,) and dtype int64."""
    for inputs in CASES.values():
        reply = _reply(student, inputs)
        n, _, height, width = inputs["pixels"].shape
        expect_shape(reply, "pixel_values", N=n, channels=3, H=height, W=width)
        labels = expect_shape(reply, "labels", N=n)
        kind = sentences.dtype("labels", labels.dtype, torch.int64)
        expect(labels.dtype == torch.int64, kind)


@points(2)
def check_examples_keep_their_order(student: Student, expected: Expected) -> None:
    """Image n and label n of the batch are those of example n."""
    for case, inputs in CASES.items():
        reply = _reply(student, inputs)
        expected.match(case, reply, atol=0, rtol=0)
        wanted = _turned(inputs)
        right = torch.equal(reply.tensor("pixel_values"), wanted["pixels"])
        expect(right, wording.OTHER_IMAGES)
        expect(torch.equal(reply.tensor("labels"), wanted["labels"]), wording.OTHER_LABELS)


@points(1)
def check_keeps_dtype_and_examples(student: Student, expected: Expected) -> None:
    """The pixel values keep their dtype, and the examples stay as they are."""
    inputs = {**CASES["four"], "pixels": CASES["four"]["pixels"].double()}
    reply = _reply(student, inputs)
    found = reply.tensor("pixel_values").dtype
    expect(found == torch.float64, sentences.dtype("pixel_values", found, torch.float64))
    sent = _turned(inputs)
    expect(torch.equal(reply.tensor("given"), sent["pixels"]), sentences.changed_in_place("batch"))
    expect(torch.equal(reply.tensor("kept"), sent["labels"]), sentences.changed_in_place("batch"))
