"""Checks of `ReverseDataset(num_categories, seq_len, size)`; its digits are random."""

from __future__ import annotations

import torch

from autograder.checking import (
    Student,
    expect,
    expect_count,
    expect_shape,
    points,
    values,
)

from . import wording
from .drawing import batched, made_twice, pairs_of

SIZES = ((10, 16, 300), (4, 7, 200), (2, 1, 50), (3, 2, 1), (12, 45, 40))
MANY = ((10, 12, 1500), (3, 4, 900), (13, 5, 1500))
LONG = (10, 24, 900)
COUNTLESS = (70_000, 3, 60)  # as many as a vocabulary has
# Each share of some thousand draws is further from the fair share once in a million times.
FAIR_SPREADS = 5.0


@points(0.75, text="`dataset[index]` is a pair `(sequence, label)` of int64 tensors of shape")
def check_has_its_size_and_works_in_a_loader(student: Student) -> None:
    """A Dataset of `size` pairs of int64 tensors (seq_len,); a DataLoader makes batches (B, L)."""
    for sizes in SIZES:
        reply = pairs_of(student, sizes)
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
def check_labels_are_flipped(student: Student) -> None:
    """Each label is its sequence backwards."""
    for sizes in SIZES:
        reply = pairs_of(student, sizes)
        sequences, labels = reply.tensor("sequences"), reply.tensor("labels")
        expect(labels.shape == sequences.shape and sequences.dim() == 2, wording.NOT_FLIPPED)
        expect(torch.equal(labels, sequences.flip(1)), wording.NOT_FLIPPED)


def _digits(student: Student, sizes: tuple[int, int, int]) -> torch.Tensor:
    """The sequences of a data set of these sizes, if they are digits that it may have."""
    sequences = pairs_of(student, sizes).tensor("sequences")
    expect(sequences.shape == (sizes[2], sizes[1]), wording.OTHER_DIGITS)
    expect(not sequences.is_complex(), wording.OTHER_DIGITS)
    expect(((sequences >= 0) & (sequences < sizes[0])).all(), wording.OTHER_DIGITS)
    return sequences


def _expect_fair(hits: torch.Tensor, share: float, sentence: str) -> None:
    """Along its first axis the booleans of `hits` are True about as often as `share` says."""
    count = hits.shape[0]
    far = (hits.double().mean(dim=0) - share).abs() / (share * (1 - share) / count) ** 0.5
    expect((far < FAIR_SPREADS).all(), sentence)


@values
@points(0.75, text="each digit one of 0, ..., num_categories - 1 with equal probability")
def check_digits_are_fair(student: Student) -> None:
    """The digits are 0 to num_categories - 1, each as likely at every place, and unrelated."""
    for sizes in MANY:
        sequences, share = _digits(student, sizes), 1 / sizes[0]
        for digit in range(sizes[0]):
            _expect_fair(sequences == digit, share, wording.OTHER_DIGITS)
        for apart in range(1, sizes[1]):
            alike = sequences[:, apart:] == sequences[:, :-apart]
            _expect_fair(alike, share, wording.RELATED_DIGITS)
        _expect_fair(sequences[1:] == sequences[:-1], share, wording.ALL_ALIKE)
    reach = _digits(student, COUNTLESS) > 0.9 * COUNTLESS[0]
    expect(reach.any(), wording.OTHER_DIGITS)
    sequences = _digits(student, LONG)
    both_ways = torch.cat([sequences, sequences.flip(1)])  # of 24 digits none is a palindrome
    expect(len({*map(tuple, both_ways.tolist())}) == len(both_ways), wording.REPEATED)


@points(0.75, text="The same index gives the same pair each time")
def check_same_index_gives_the_same_pair(student: Student) -> None:
    """The same index gives the same pair each time, and looking draws no random numbers."""
    for sizes in SIZES:
        reply = pairs_of(student, sizes)
        for name in ("sequences", "labels"):
            same = torch.equal(reply.tensor(name), reply.tensor(f"{name}_again"))
            expect(same, wording.NOT_KEPT)
        expect(reply["looking_draws"] is False, wording.NOT_KEPT)


@points(0.75, text="It sets no seed: two data sets made one after the other are different ones")
def check_two_data_sets_differ(student: Student) -> None:
    """Two data sets differ unless PyTorch's seed is the same, and then they do not."""
    apart = expect_shape(student.run(made_twice, size=20), "apart", size=20, seq_len=16)
    expect((apart != 0).any(dim=-1).all(), wording.SAME_SETS)
    first, second = (pairs_of(student, SIZES[0]).tensor("sequences") for _ in range(2))
    expect(torch.equal(first, second), wording.OTHER_GENERATOR)
    other = pairs_of(student, SIZES[0], seed=2).tensor("sequences")
    expect(other.shape == first.shape and not torch.equal(other, first), wording.SAME_SETS)
