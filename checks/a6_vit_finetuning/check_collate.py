"""Checks of `collate_fn(batch)`: one tensor of images, one of labels."""

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
    numbers,
    points,
    probe,
)
from autograder.results import sentences

from . import wording


def collated(collate_fn: Any, images: Any, labels: Any) -> Any:
    from collections.abc import Mapping

    pairs = zip(images, labels.tolist(), strict=True)
    found = collate_fn([{"pixel_values": image, "labels": label} for image, label in pairs])
    return found if isinstance(found, Mapping) else {}


battery = Battery(
    Domain(
        answer="collate_fn",
        sizes={"N": 2, "C": 3, "H": 4, "W": 5},
        smallest={"C": 3},
        largest={"C": 3},
        inputs={"images": "N C H W", "labels": Integers("N", 0, 1000)},
        returns={"pixel_values": "N C H W", "labels": "N"},
        dictionary=True,
        call=Probe(collated),
        more={
            "for a large batch": {"N": 40},
            "for large images": {"H": 53, "W": 97},  # larger than those of the notebook
        },
        differentiable=False,
        gathers=True,
    ),
    **{"values": 1, "sizes": 1, "extremes": 0.5, "kind": 0.5},
)


@probe
def described(
    answers: Any, images: Any, labels: Any, order: Any, labels_first: bool
) -> dict[str, Any]:
    from collections.abc import Mapping

    pairs = zip(images, labels.tolist(), strict=True)
    examples = [{"pixel_values": image, "labels": label} for image, label in pairs]
    if labels_first:
        examples[1] = dict(reversed(examples[1].items()))
    batch = [examples[number] for number in order.tolist()]
    held, given = list(batch), [dict(example) for example in batch]
    before, drew = images.clone(), torch.random.get_rng_state()
    result = answers.collate_fn(batch)
    is_dictionary = isinstance(result, Mapping)
    same = len(batch) == len(held) and all(a is b for a, b in zip(batch, held, strict=True))
    kept = same and all(
        list(example) == list(was) and all(example[name] is was[name] for name in was)
        for example, was in zip(held, given, strict=True)
    )
    told = result.get("labels") if is_dictionary else None
    whole = isinstance(told, torch.Tensor) and told.tolist() == labels[order].tolist()
    return {
        "is_dictionary": is_dictionary,
        "whole labels": whole,  # a difference in the last digits of large ones
        "names": " ".join(sorted(result)) if is_dictionary else "",
        "labels": told,
        "pixel_values": result.get("pixel_values") if is_dictionary else None,
        "kept": kept and torch.equal(images, before),
        "drew": not torch.equal(drew, torch.random.get_rng_state()),
    }


FOUR: dict[str, Any] = {
    "images": numbers(1, 4, 3, 5, 6),
    "labels": torch.tensor([3, 0, 2, 0]),
    "order": torch.arange(4),
    "labels_first": False,
}
# An example that comes twice, an image with two labels, and labels that float32 or int32 round.
AGAIN: dict[str, Any] = {
    "images": numbers(2, 4, 3, 5, 6)[[0, 1, 2, 1]],
    "labels": torch.tensor([2**24 + 1, 2**40 + 3, 130, 2**40 + 3]),
    "order": torch.tensor([1, 0, 1, 1, 2, 3]),
    "labels_first": True,
}


@points(0.5, text="It returns a dictionary")
def check_returns_a_dictionary(student: Student) -> None:
    """The result is a dictionary with the names `pixel_values` and `labels`, and no others."""
    reply = student.run(described, **FOUR)
    expect(reply["is_dictionary"] is True, wording.NO_DICTIONARY)
    expect(reply["names"] == "labels pixel_values", wording.OTHER_ENTRIES)


@points(0.5, text="a tensor of shape (N,) and dtype int64")
def check_labels_are_whole_numbers(student: Student) -> None:
    """`labels` is of dtype int64."""
    reply = student.run(described, **FOUR)
    expect(reply["is_dictionary"] is True, wording.NO_DICTIONARY)
    found = reply.tensor("labels").dtype
    expect(found == torch.int64, sentences.dtype("labels", found, torch.int64))


@points(0.5, text="lists and dictionaries that are handed in")
def check_the_examples_stay_as_they_are(student: Student) -> None:
    """The list, its dictionaries and their images are after a call what they were before."""
    reply = student.run(described, **FOUR)
    expect(reply["kept"] is True and reply["drew"] is False, wording.EXAMPLES_CHANGED)


@points(0.5, text="in the order of the list")
def check_every_example_is_taken(student: Student) -> None:
    """Each example has its place, also one that comes twice, and its label, however large."""
    reply = student.run(described, **AGAIN)
    expect(reply["is_dictionary"] is True, wording.NO_DICTIONARY)
    for name, given in (("pixel_values", AGAIN["images"]), ("labels", AGAIN["labels"])):
        wanted, found = given[AGAIN["order"]], reply.tensor(name)
        right = found.shape == wanted.shape and torch.equal(found, wanted)
        expect(right, wording.OTHER_EXAMPLES)
