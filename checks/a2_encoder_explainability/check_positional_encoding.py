"""Checks of `PositionalEncoding(d_model, max_len=5000)`: its battery and its buffer."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Student,
    expect,
    expect_count,
    points,
    probe,
)

from . import wording

# An angle of up to 1100 that was computed in float32 as exp(-log(10000) ...) is off by some 7e-5.
ATOL = 2e-4

domain = Domain(
    answer="PositionalEncoding",
    sizes={"B": 3, "L": 5, "spare": 2, "d_model": 8},
    smallest={"spare": 0},
    multiples={"d_model": 2},
    long=1100,
    more={
        "where the table is much longer": {"spare": 300},
        "for a large batch and a short table": {"B": 30, "spare": 0},
        "for a wide model": {"d_model": 200},
    },
    arguments=("d_model", "L+spare"),
    inputs={"x": "B L d_model"},
    returns={"output": "B L d_model"},
    atol=ATOL,
)
battery = Battery(
    domain,
    **{"values": 0.5, "sizes": 0.5, "extremes": 0.25, "gradients": 1.5},
    **{"modes": 0.5, "kind": 0.5, "care": 0.5},
)


@probe
def kept(answers: Any, d_model: int, max_len: int | None) -> dict[str, Any]:
    given = {} if max_len is None else {"max_len": max_len}
    module = answers.PositionalEncoding(d_model, **given)
    rows = [buffer.numel() // d_model for buffer in module.buffers()]
    saved, parameters = len(module.state_dict()), sum(1 for _ in module.parameters())
    for owner in module.modules():
        for name, buffer in owner.named_buffers(recurse=False):
            owner.register_buffer(name, torch.zeros_like(buffer), persistent=False)
    try:
        added = bool(module(torch.zeros(1, 3, d_model)).any())
    except Exception:  # other checks tell what a call raises
        added = False
    return {
        "added": added,
        "rows": torch.tensor(rows, dtype=torch.int64),
        "saved": saved,
        "parameters": parameters,
    }


@points(0.75, text="The buffer is **not persistent**: `state_dict()` is empty")
def check_table_is_a_buffer_that_is_not_saved(student: Student) -> None:
    """The table is a buffer of max_len rows, is not trained, and is not saved with the model."""
    for max_len in (None, 12, 7000):
        reply = student.run(kept, d_model=4, max_len=max_len)
        rows, wanted = reply.tensor("rows"), max_len or 5000
        whole = (rows == wanted).any() or rows.sum() == wanted  # sines and cosines may lie apart
        expect(whole, wording.NO_BUFFER)
        expect_count(reply, "parameters", 0, wording.TRAINED)
        expect_count(reply, "saved", 0, wording.SAVED)
        expect(reply["added"] is False, wording.UNUSED_BUFFER)
