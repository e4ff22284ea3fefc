"""An answer that reads numbers is told where it would lie, on a machine with one device alone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from autograder.checking import Domain, Integers, Probe
from checking.answers import Judge

RIGHT = {
    "as it comes": "return (ids != 0)[:, None]",
    "asks whether there is one": "assert ids.min().item() >= 0\n    return (ids != 0)[:, None]",
    "moved to where they are": (
        "rows = [[n != 0 for n in row] for row in ids.tolist()]\n"
        "    return torch.tensor(rows).to(ids.device)[:, None]"
    ),
    "moved to another tensor": (
        "made = torch.tensor([[n != 0 for n in row] for row in ids.tolist()])\n"
        "    return made.to(ids).bool()[:, None]"
    ),
    "made where they are": (
        "return torch.tensor([[[n != 0 for n in r]] for r in ids.tolist()], device=ids.device)"
    ),
    "made like them": (
        "real = torch.zeros_like(ids, dtype=torch.bool)\n"
        "    for n, row in enumerate(ids.tolist()):\n"
        "        for place, one in enumerate(row):\n"
        "            real[n, place] = one != 0\n"
        "    return real.unsqueeze(1)"
    ),
    "new of their own": (
        "rows = [[one != 0 for one in row] for row in ids.tolist()]\n"
        "    return ids.new_tensor(rows).bool()[:, None]"
    ),
    "through a transform of functions": (
        "assert ids.min().item() >= 0\n    return torch.vmap(lambda row: row != 0)(ids)[:, None]"
    ),
    "a result of a function of its own": (
        "class Real(torch.autograd.Function):\n"
        "        @staticmethod\n"
        "        def forward(ctx, ids):\n"
        "            return ids != 0\n\n"
        "    assert ids.min().item() >= 0\n    return Real.apply(ids)[:, None]"
    ),
    "a list stacked": (
        "return torch.stack([row != 0 if row.any().item() else row.bool() for row in ids])[:, None]"
    ),
    "through NumPy and back": (
        "return torch.from_numpy(ids.cpu().numpy() != 0).to(ids.device)[:, None]"
    ),
    "numbers of its own through NumPy": (
        "assert torch.tensor(ids.tolist()).numpy().size\n    return (ids != 0)[:, None]"
    ),
}
WRONG = {
    "made of lists": "return torch.tensor([[[n != 0 for n in r]] for r in ids.tolist()])",
    "cast, and yet not moved": (
        "return torch.tensor([[n for n in row] for row in ids.tolist()]).to(torch.bool)[:, None]"
    ),
    "filled in one by one": (
        "real = torch.zeros(ids.shape, dtype=torch.bool)\n"
        "    for n, row in enumerate(ids.tolist()):\n"
        "        for place, one in enumerate(row):\n"
        "            real[n, place] = one != 0\n"
        "    return real.unsqueeze(1)"
    ),
    "brought back": "assert ids.min().item() >= 0\n    return (ids.cpu() != 0)[:, None]",
    "put on the CPU by name": (
        "return torch.tensor([[[n != 0 for n in r]] for r in ids.tolist()], device='cpu')"
    ),
    "through NumPy from the CPU, and not back": (
        "return torch.from_numpy(ids.cpu().numpy() != 0)[:, None]"
    ),
    "stacked of rows": (
        "rows = [torch.tensor([n != 0 for n in row.tolist()]) for row in ids]\n"
        "    return torch.stack(rows).unsqueeze(1)"
    ),
}


REAL = Domain(
    answer="real",
    sizes={"N": 3, "L": 5},
    inputs={"ids": Integers("N L", 0, 3)},
    returns={"mask": "N 1 L"},
    differentiable=False,
    doubles=False,
)


@cache
def judge() -> Judge:
    return Judge(REAL, _answer(RIGHT["as it comes"]))


def _answer(body: str) -> str:
    return f"def real(ids):\n    {body}\n"


@pytest.mark.parametrize("way", RIGHT)
def test_who_follows_the_inputs_is_right(way: str) -> None:
    assert judge().failures(_answer(RIGHT[way])) == {}


@pytest.mark.parametrize("way", WRONG)
def test_who_stays_behind_is_told(way: str) -> None:
    assert judge().observed(_answer(WRONG[way])) == {"kind": "other_device"}


def with_numbers(real: Any, ids: Any) -> Any:
    return real(ids.tolist())


def test_numbers_that_are_handed_over_lie_nowhere() -> None:
    judged = Judge(
        replace(REAL, call=Probe(with_numbers)),
        "def real(rows):\n    return torch.tensor(rows)[:, None] != 0\n",
    )
    assert judged.failures("def real(rows):\n    return (torch.tensor(rows) != 0)[:, None]\n") == {}
