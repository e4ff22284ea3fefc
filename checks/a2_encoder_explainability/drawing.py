"""How a `ReverseDataset` is asked for its pairs."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import Reply, Student, probe


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


def pairs_of(student: Student, sizes: tuple[int, int, int], seed: int = 1) -> Reply:
    num_categories, seq_len, size = sizes
    given = {"num_categories": num_categories, "seq_len": seq_len, "size": size}
    return student.run(drawn, **given, seed=seed)
