"""Checks of `ReverseDataset(num_categories, seq_len, size)`; its digits are random."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_count,
    expect_shape,
    points,
    probe,
    values,
)

from . import wording

SIZES = ((10, 16, 300), (4, 7, 200), (2, 1, 50))
# Each digit's share of some thousand draws is further from the fair share once in a million times.
FAIR_SPREADS = 5.0


@probe
def drawn(answers: Any, num_categories: int, seq_len: int, size: int) -> dict[str, Any]:
    torch.manual_seed(1)
    dataset = answers.ReverseDataset(num_categories, seq_len, size)
    pairs = [dataset[index] for index in range(len(dataset))]
    again = [dataset[index] for index in range(len(dataset))]
    return {
        "length": len(dataset),
        "sequences": torch.stack([sequence for sequence, _ in pairs]),
        "labels": torch.stack([label for _, label in pairs]),
        "sequences_again": torch.stack([sequence for sequence, _ in again]),
        "labels_again": torch.stack([label for _, label in again]),
    }


@probe
def made_twice(answers: Any, size: int) -> dict[str, Any]:
    torch.manual_seed(1)
    first, second = (answers.ReverseDataset(10, 16, size) for _ in range(2))
    before = torch.get_rng_state()
    apart = [first[index][0] - second[index][0] for index in range(size)]
    moved = bool((torch.get_rng_state() != before).any())
    return {"apart": torch.stack(apart), "looking_draws": moved}


@probe
def batched(answers: Any, size: int) -> dict[str, Any]:
    from torch.utils import data

    dataset = answers.ReverseDataset(5, 6, size)
    batches = list(data.DataLoader(dataset, batch_size=4))
    return {
        "is_dataset": isinstance(dataset, data.Dataset),
        "batches": len(batches),
        "x": batches[0][0],
        "y": batches[0][1],
    }


def _drawn(student: Student, sizes: tuple[int, int, int]) -> Reply:
    num_categories, seq_len, size = sizes
    return student.run(drawn, num_categories=num_categories, seq_len=seq_len, size=size)


@points(1)
def check_has_its_size_and_works_in_a_loader(student: Student, expected: Expected) -> None:
    """A Dataset of `size` pairs of int64 tensors (seq_len,); a DataLoader makes batches (B, L)."""
    for sizes in SIZES:
        reply = _drawn(student, sizes)
        wrong = "`len(dataset)` is not the size that was asked for."
        expect_count(reply, "length", sizes[2], wrong)
        for name in ("sequences", "labels"):
            found = expect_shape(reply, name, size=sizes[2], seq_len=sizes[1])
            expect(found.dtype == torch.int64, f"`{name}` are not of dtype int64.")
    reply = student.run(batched, size=10)
    expect(reply["is_dataset"] is True, "It is no `torch.utils.data.Dataset`.")
    expect_count(reply, "batches", 3, "A DataLoader does not find the right number of batches.")
    for name in ("x", "y"):
        expect_shape(reply, name, B=4, L=6)


@points(1)
def check_labels_are_flipped(student: Student, expected: Expected) -> None:
    """Each label is its sequence backwards."""
    for sizes in SIZES:
        reply = _drawn(student, sizes)
        sequences, labels = reply.tensor("sequences"), reply.tensor("labels")
        expect(labels.shape == sequences.shape and sequences.dim() == 2, wording.NOT_FLIPPED)
        expect(torch.equal(labels, sequences.flip(1)), wording.NOT_FLIPPED)


@values
@points(1)
def check_digits_are_fair(student: Student, expected: Expected) -> None:
    """The digits are 0 to num_categories - 1, equally likely, and sequences differ."""
    for sizes in SIZES[:2]:
        sequences = _drawn(student, sizes).tensor("sequences")
        expect(sequences.dim() == 2, wording.OTHER_DIGITS)
        counts = torch.stack([(sequences == digit).sum() for digit in range(sizes[0])])
        total, share = sequences.numel(), 1 / sizes[0]
        spread = (total * share * (1 - share)) ** 0.5
        expect(counts.sum() == total, wording.OTHER_DIGITS)
        far = (counts - total * share).abs() / spread
        expect((far < FAIR_SPREADS).all(), wording.OTHER_DIGITS)
        expect(len({*map(tuple, sequences.tolist())}) > 0.9 * sizes[2], wording.ALL_ALIKE)


@points(1)
def check_same_index_gives_the_same_pair(student: Student, expected: Expected) -> None:
    """The same index gives the same pair each time."""
    for sizes in SIZES:
        reply = _drawn(student, sizes)
        for name in ("sequences", "labels"):
            same = torch.equal(reply.tensor(name), reply.tensor(f"{name}_again"))
            expect(same, wording.NOT_KEPT)


@points(1)
def check_two_data_sets_differ(student: Student, expected: Expected) -> None:
    """Two data sets that are made one after the other hold different sequences."""
    apart = expect_shape(student.run(made_twice, size=20), "apart", size=20, seq_len=16)
    expect((apart != 0).any(dim=-1).all(), wording.SAME_SETS)
