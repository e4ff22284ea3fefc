"""Checks of `HeadlineDataset(columns)`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import Expected, Reply, Student, expect, numbers, points, probe, values

from . import wording

# More headlines than columns, and fewer; a column of numbers with a point among those of integers.
COLUMNS = {
    "many": {
        "input_ids": torch.arange(35).reshape(7, 5),
        "attention_mask": (torch.arange(35).reshape(7, 5) % 3 > 0).long(),
        "labels": torch.tensor([3, 0, 2, 1, 1, 0, 3]),
        "pictures": numbers(1, 7, 2, 3),
    },
    "few": {
        "labels": torch.tensor([2, 1]),
        "input_ids": torch.tensor([[5, 6, 7, 8], [1, 2, 3, 4]]),
    },
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
def batched(answers: Any, **columns: Any) -> dict[str, Any]:
    dataset = answers.HeadlineDataset(dict(columns))
    batches = list(torch.utils.data.DataLoader(dataset, batch_size=2))
    whole = {name: torch.cat([batch[name] for batch in batches]) for name in columns}
    return {"batches": len(batches), **whole}


@points(1)
def check_is_a_dataset_of_that_length(student: Student, expected: Expected) -> None:
    """`HeadlineDataset` is a `Dataset` with as many items as there are headlines."""
    for columns in COLUMNS.values():
        reply = student.run(item, index=0, **columns)
        expect(reply["is_dataset"] is True, wording.NO_DATASET)
        expect(reply["length"] == len(columns["labels"]), wording.OTHER_LENGTH)


@values
@points(3)
def check_items_hold_their_row_of_every_column(student: Student, expected: Expected) -> None:
    """Item i is a dict with the names of all columns, and holds row i of each."""
    for columns in COLUMNS.values():
        for index in (0, 1, len(columns["labels"]) - 1):
            reply = student.run(item, index=index, **columns)
            names = sorted(str(reply["names"]).split())
            expect(names == sorted(columns), wording.OTHER_NAMES)
            for name, column in columns.items():
                expect(_equal(_number(reply, name), column[index]), wording.OTHER_ROW)


def _number(reply: Reply, name: str) -> torch.Tensor:
    """The tensor `name`, also where a right answer made a plain number of it."""
    found = reply[name]
    fits = type(found) is int and abs(found) < 2**63
    return torch.tensor(found) if fits else reply.tensor(name)


@values
@points(1)
def check_a_loader_makes_batches_of_it(student: Student, expected: Expected) -> None:
    """A `DataLoader` stacks the items to batches, in their order."""
    for columns in COLUMNS.values():
        reply = student.run(batched, **columns)
        expect(reply["batches"] == (len(columns["labels"]) + 1) // 2, wording.NO_BATCHES)
        for name, column in columns.items():
            expect(_equal(reply.tensor(name), column), wording.NO_BATCHES)


def _equal(found: torch.Tensor, wanted: torch.Tensor) -> bool:
    return found.dtype == wanted.dtype and torch.equal(found, wanted)
