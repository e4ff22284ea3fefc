"""Checks of `HeadlineDataset(columns)`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import CheckFailure, Reply, Student, expect, numbers, points, probe, values

from . import wording

# More headlines than columns, fewer, as many, and one; columns of any shape and kind.
MANY = {
    "input_ids": torch.arange(35).reshape(7, 5),
    "attention_mask": (torch.arange(35).reshape(7, 5) % 3 > 0).long(),
    "labels": torch.tensor([3, 0, 2, 1, 1, 0, 3]),
    "pictures": numbers(1, 7, 2, 3),
    "weights": numbers(3, 7),
}
SHARES = {"shares": numbers(2, 7, 1)}  # whose rows have an axis of length 1
COLUMNS = {
    "many": MANY,
    "few": {"labels": MANY["labels"][:1], "other": MANY["input_ids"][:1] > 3},
    "two": {"labels": torch.tensor([2, 1]), "input_ids": torch.tensor([[5, 6, 7], [1, 2, 3]])},
    "as_many": {n: c[:4, :4] if c.dim() == 2 else c[:4] for n, c in MANY.items()},
    "labels_in_rows": {"labels": torch.arange(12).reshape(4, 3), "input_ids": torch.arange(4)},
    "labels_alone": {"labels": torch.arange(5) % 4},
}


@probe
def item(answers: Any, index: int, **columns: Any) -> dict[str, Any]:
    dataset = answers.HeadlineDataset(dict(columns))
    found = dataset[index]
    is_dataset = isinstance(dataset, torch.utils.data.Dataset)
    facts = {"is_dataset": is_dataset, "length": len(dataset)}
    if not isinstance(found, dict):
        return {**facts, "names": ""}
    return {**facts, "names": " ".join(map(str, found)), **found}


@probe
def batched(answers: Any, size: int, **columns: Any) -> dict[str, Any]:
    dataset = answers.HeadlineDataset(dict(columns))
    batches = list(torch.utils.data.DataLoader(dataset, batch_size=size))
    whole = {name: torch.cat([batch[name] for batch in batches]) for name in columns}
    return {"batches": len(batches), **whole}


@probe
def kept(answers: Any, **columns: Any) -> dict[str, Any]:
    from autograder.box.inside import devices

    own, other = dict(columns), {"labels": columns["labels"][:1], "more": columns["labels"][:1]}
    dataset, copies = answers.HeadlineDataset(own), {n: c.clone() for n, c in columns.items()}
    first = dataset[0], len(dataset)
    answers.HeadlineDataset(other)[0]
    last = dataset[0], len(dataset)
    same = list(own) == list(columns)
    same = same and all(torch.equal(own[name], copies[name]) for name in own)

    def asked(make: Any, given: Any) -> Any:
        return list(make(given)[0].values())

    make = answers.HeadlineDataset
    moved = devices.stays_on_meta(make, columns, asked) == "other"
    return {
        "kept": same,
        "again": first[1] == last[1] and first[0].keys() == last[0].keys(),
        "device": not (moved or devices.leaves_by_numbers(make, columns, asked)),
    }


@points(1, text="The class HeadlineDataset(columns), a torch.utils.data.Dataset")
def check_is_a_dataset_of_that_length(student: Student) -> None:
    """`HeadlineDataset` is a `Dataset` with as many items as there are headlines."""
    for columns in COLUMNS.values():
        reply = student.run(item, index=0, **columns)
        expect(reply["is_dataset"] is True, wording.NO_DATASET)
        expect(reply["length"] == len(columns["labels"]), wording.OTHER_LENGTH)


@values
@points(2.5, text="is a dict with the same names: entry $i$ of each column")
def check_items_hold_their_row_of_every_column(student: Student) -> None:
    """Item i is a dict with the names of all columns, and holds row i of each."""
    for columns in COLUMNS.values():
        for index in {0, len(columns["labels"]) // 2, len(columns["labels"]) - 1}:
            reply = student.run(item, index=index, **columns)
            names = sorted(str(reply["names"]).split())
            expect(names == sorted(columns), wording.OTHER_NAMES)
            for name, column in columns.items():
                found = _number(reply, name)
                if not _equal(found, column[index]):
                    raise CheckFailure(_how_other(found, column[index]) or wording.OTHER_ROW)


def _number(reply: Reply, name: str) -> torch.Tensor:
    """The tensor `name`, also where a right answer made a plain number of it."""
    found = reply[name]
    fits = type(found) is int and abs(found) < 2**63
    return torch.tensor(found) if fits else reply.tensor(name)


@values
@points(1, text="PyTorch's DataLoader shuffles, cuts into batches and stacks")
def check_a_loader_makes_batches_of_it(student: Student) -> None:
    """A `DataLoader` stacks the items to batches, in their order."""
    for size, columns in (
        (2, {**MANY, **SHARES}),
        (7, MANY),
        (1, COLUMNS["two"]),
        (3, COLUMNS["labels_alone"]),
    ):
        reply = student.run(batched, size=size, **columns)
        expect(reply["batches"] == -(-len(columns["labels"]) // size), wording.NO_BATCHES)
        for name, column in columns.items():
            found = reply.tensor(name)
            if not _equal(found, column):
                raise CheckFailure(_how_other(found, column) or wording.NO_BATCHES)


def _equal(found: torch.Tensor, wanted: torch.Tensor) -> bool:
    return found.dtype == wanted.dtype and torch.equal(found, wanted)


def _how_other(found: torch.Tensor, wanted: torch.Tensor) -> str:
    """What is said of the right numbers in another shape or dtype; nothing of others."""
    if found.flatten().tolist() != wanted.flatten().tolist():
        return ""
    return wording.ROW_CONVERTED if found.shape == wanted.shape else wording.ROW_RESHAPED


@points(0.5, text="lists that are handed in")
def check_leaves_the_columns_alone(student: Student) -> None:
    """The columns stay as they are, on their device, whatever other datasets there are."""
    reply = student.run(kept, **MANY)
    expect(reply["kept"] is True, wording.CHANGED_GIVEN)
    expect(reply["again"] is True, wording.KNOWS_ANOTHER)
    expect(reply["device"] is True, wording.OTHER_PLACE)
