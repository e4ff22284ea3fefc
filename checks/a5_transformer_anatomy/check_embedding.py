"""Checks of `make_embedding(vocab_size, d_model)`: one table, looked up and trained by rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Integers,
    Probe,
    Student,
    expect,
    expect_floats,
    numbers,
    points,
    probe,
)

from . import wording


def made(answers: Any, **sizes: int) -> Any:
    return answers.make_embedding(sizes["V"], sizes["d_model"])


domain = Domain(
    answer="make_embedding",
    sizes={"N": 3, "L": 4, "V": 7, "d_model": 5},
    make=Probe(made),
    inputs={"ids": Integers("N L", 0, "V")},
    returns={"vectors": "N L d_model"},
)
battery = Battery(domain, everywhere=0.5, gradients=1, kind=0.25, parts=0.25, care=0.25)
one_axis = Battery(
    replace(
        domain,
        part="one_axis",
        about="ids of another shape",
        sizes={"L": 4, "V": 7, "d_model": 5},
        inputs={"ids": Integers("L", 0, "V")},
        returns={"vectors": "L d_model"},
        only=("example",),
    ),
    everywhere=0.25,
)


@probe
def started(answers: Any, vocab_size: int, d_model: int) -> dict[str, Any]:
    modules = [answers.make_embedding(vocab_size, d_model) for _ in range(2)]
    tables = [next(iter(module.parameters()), None) for module in modules]
    return {"one": tables[0], "other": tables[1]}


@probe
def handed_out(answers: Any, table: Any) -> dict[str, Any]:
    # The rows of a table that holds numbers of ours, and the table after the call.
    module = answers.make_embedding(*table.shape)
    (held,) = module.parameters()
    with torch.no_grad():
        held.copy_(table)
    return {"vectors": module(torch.arange(len(table))), "table": held}


@points(0.25, text="Each number starts at random, normally distributed around 0 with variance 1.")
def check_tables_start_at_random(student: Student) -> None:
    """A fresh table holds normally distributed numbers, other ones in each table."""
    reply = student.run(started, vocab_size=80, d_model=50)
    tables = [expect_floats(reply, name, V=80, d_model=50) for name in ("one", "other")]
    expect((tables[0] != tables[1]).any(), wording.SAME_START)
    wanted = torch.special.ndtri((torch.arange(4000, dtype=torch.float64) + 0.5) / 4000)
    for table in tables:
        off = (table.flatten().sort().values - wanted).abs()
        expect(off[40:-40].max() < 0.25, wording.OTHER_START)


@points(0.25, text="returns their vectors, (N, L, d_model)")
def check_rows_come_as_they_are(student: Student) -> None:
    """Whatever numbers a row holds, they are handed out, and stay in the table."""
    table = numbers(4, 9, 6) * torch.logspace(-4, 4, 9)[:, None]
    reply = student.run(handed_out, table=table)
    for name in ("vectors", "table"):
        found = expect_floats(reply, name, V=9, d_model=6)
        expect(torch.equal(found, table.double()), wording.OTHER_ROWS)
