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

SIZES = ((10, 16, 300), (4, 7, 200), (2, 1, 50), (3, 2, 1))
MANY = ((10, 12, 1500), (3, 4, 900))
# Each share of some thousand draws is further from the fair share once in a million times.
FAIR_SPREADS = 5.0


@probe
def drawn(
    answers: Any, num_categories: int, seq_len: int, size: int, seed: int = 1
) -> dict[str, Any]:
    torch.manual_seed(seed)
    dataset = answers.ReverseDataset(num_categories, seq_len, size)
    drawn_from = torch.get_rng_state()
    pairs = [dataset[index] for index in range(len(dataset))]
    again = [dataset[index] for index in reversed(range(len(dataset)))][::-1]
    return {
        "length": len(dataset),
        "looking_draws": not torch.equal(drawn_from, torch.get_rng_state()),
        "sequences": torch.stack([sequence for sequence, _ in pairs]),
        "labels": torch.stack([label for _, label in pairs]),
        "sequences_again": torch.stack([sequence for sequence, _ in again]),
        "labels_again": torch.stack([label for _, label in again]),
    }


@probe
def made_twice(answers: Any, size: int) -> dict[str, Any]:
    torch.manual_seed(1)
    first, second = (answers.ReverseDataset(10, 16, size) for _ in range(2))
    return {"apart": torch.stack([first[index][0] - second[index][0] for index in range(size)])}


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


def _drawn(student: Student, sizes: tuple[int, int, int], seed: int = 1) -> Reply:
    num_categories, seq_len, size = sizes
    given = {"num_categories": num_categories, "seq_len": seq_len, "size": size}
    return student.run(drawn, **given, seed=seed)


@points(0.75, text="`dataset[index]` is a pair `(sequence, label)` of int64 tensors of shape")
def check_has_its_size_and_works_in_a_loader(student: Student, expected: Expected) -> None:
    """A Dataset of `size` pairs of int64 tensors (seq_len,); a DataLoader makes batches (B, L)."""
    for sizes in SIZES:
        reply = _drawn(student, sizes)
        expect_count(reply, "length", sizes[2], wording.OTHER_LENGTH)
        for name in ("sequences", "labels"):
            found = expect_shape(reply, name, size=sizes[2], seq_len=sizes[1])
            expect(found.dtype == torch.int64, f"`{name}` are not of dtype int64.")
    reply = student.run(batched, size=10)
    expect(reply["is_dataset"] is True, "It is no `torch.utils.data.Dataset`.")
    expect_count(reply, "batches", 3, "A DataLoader does not find the right number of batches.")
    for name in ("x", "y"):
        expect_shape(reply, name, B=4, L=6)


@points(2, text="its label is the same row backwards")
def check_labels_are_flipped(student: Student, expected: Expected) -> None:
    """Each label is its sequence backwards."""
    for sizes in SIZES:
        reply = _drawn(student, sizes)
        sequences, labels = reply.tensor("sequences"), reply.tensor("labels")
        expect(labels.shape == sequences.shape and sequences.dim() == 2, wording.NOT_FLIPPED)
        expect(torch.equal(labels, sequences.flip(1)), wording.NOT_FLIPPED)


def _expect_fair(hits: torch.Tensor, share: float, sentence: str) -> None:
    """Along its first axis the booleans of `hits` are True about as often as `share` says."""
    count = hits.shape[0]
    far = (hits.double().mean(dim=0) - share).abs() / (share * (1 - share) / count) ** 0.5
    expect((far < FAIR_SPREADS).all(), sentence)


@values
@points(0.75, text="each digit one of 0, ..., num_categories - 1 with equal probability")
def check_digits_are_fair(student: Student, expected: Expected) -> None:
    """The digits are 0 to num_categories - 1, each as likely at every place, and unrelated."""
    for sizes in MANY:
        sequences, share = _drawn(student, sizes).tensor("sequences"), 1 / sizes[0]
        expect(sequences.shape == (sizes[2], sizes[1]), wording.OTHER_DIGITS)
        known = (sequences >= 0) & (sequences < sizes[0])
        expect(known.all(), wording.OTHER_DIGITS)
        for digit in range(sizes[0]):
            _expect_fair(sequences == digit, share, wording.OTHER_DIGITS)
        for apart in range(1, sizes[1]):
            alike = sequences[:, apart:] == sequences[:, :-apart]
            _expect_fair(alike, share, wording.RELATED_DIGITS)
        _expect_fair(sequences[1:] == sequences[:-1], share, wording.ALL_ALIKE)


@points(0.75, text="The same index gives the same pair each time")
def check_same_index_gives_the_same_pair(student: Student, expected: Expected) -> None:
    """The same index gives the same pair each time, and looking draws no random numbers."""
    for sizes in SIZES:
        reply = _drawn(student, sizes)
        for name in ("sequences", "labels"):
            same = torch.equal(reply.tensor(name), reply.tensor(f"{name}_again"))
            expect(same, wording.NOT_KEPT)
        expect(reply["looking_draws"] is False, wording.NOT_KEPT)


@points(0.75, text="It sets no seed: two data sets made one after the other are different ones")
def check_two_data_sets_differ(student: Student, expected: Expected) -> None:
    """Two data sets differ unless PyTorch's seed is the same, and then they do not."""
    apart = expect_shape(student.run(made_twice, size=20), "apart", size=20, seq_len=16)
    expect((apart != 0).any(dim=-1).all(), wording.SAME_SETS)
    first, second = (_drawn(student, SIZES[0]).tensor("sequences") for _ in range(2))
    expect(torch.equal(first, second), wording.OTHER_GENERATOR)
    other = _drawn(student, SIZES[0], seed=2).tensor("sequences")
    expect(other.shape == first.shape and not torch.equal(other, first), wording.SAME_SETS)
