"""Checks of `take_out(model, part)`, on models of the student's `Transformer`."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Probe,
    Student,
    expect,
    expect_floats,
    points,
    probe,
    same,
    sizes_of,
)

from . import wording
from .check_prediction import PARTS
from .whole_models import IDS, TRANSFORMER


def ablated(
    answers: Any,
    vocab_size: int,
    heads: int,
    d_head: int,
    d_ff: int,
    num_layers: int,
    **others: int,
) -> Any:
    class Ablated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            width = heads * d_head
            self.model = answers.Transformer(vocab_size, width, heads, d_ff, num_layers)

        def forward(self, src: Any, tgt: Any) -> Any:
            kinds = ("_forward_hooks", "_forward_pre_hooks")
            tables = [getattr(part, kind) for part in self.model.modules() for kind in kinds]
            before, said = [dict(table) for table in tables], []
            self.model(src, tgt)  # whole
            for part in "positions", "causal mask", "residuals":
                handles = answers.take_out(self.model, part)
                said.append(self.model(src, tgt).masked_fill((tgt == 0)[..., None], 0))
                for handle in handles or []:
                    handle.remove()
                for table, was in zip(tables, before, strict=True):
                    table.clear()
                    table.update(was)
            return said

    return Ablated()


battery = Battery(
    Domain(
        answer="take_out",
        **TRANSFORMER,
        largest={"num_layers": 2},
        only=("example", "equal_lengths", "ones"),
        inputs=IDS,
        returns={f"logits without {part}": "N L vocab_size" for part in PARTS},
        make=Probe(ablated),
        atol=1e-4,
    ),
    **{"values": 1.5, "sizes": 0.5, "gradients": 1.5, "care": 0.5},
)


@probe
def put_back(answers: Any, sizes: Any, src: Any, tgt: Any, part: str) -> dict[str, Any]:
    torch.manual_seed(4)
    model = answers.Transformer(*sizes.tolist())
    before = model(src, tgt).detach()
    handles = answers.take_out(model, part)
    during = model(src, tgt).detach()
    listed = isinstance(handles, list) and len(handles) > 0
    for handle in handles if listed else []:
        handle.remove()
    return {"listed": listed, "before": before, "during": during, "after": model(src, tgt)}


@points(1, text="When each has been removed, the model answers as before.")
def check_can_be_put_back(student: Student, expected: Expected) -> None:
    """The handles that it returns put every part back."""
    src = torch.tensor([[5, 3, 4, 6], [8, 7, 0, 0]])
    tgt = torch.tensor([[1, 5, 6], [1, 7, 8]])
    for part in PARTS:
        given = {"sizes": sizes_of(9, 8, 2, 5, 2), "src": src, "tgt": tgt}
        reply = student.run(put_back, **given, part=part)
        expect(reply["listed"] is True, wording.NO_HANDLES)
        dims = {"N": 2, "L": 3, "vocab_size": 9}
        before, during, after = (
            expect_floats(reply, name, **dims) for name in ("before", "during", "after")
        )
        expect(not same(before, during), wording.NOTHING_TAKEN_OUT)
        expect(same(before, after), wording.NOT_PUT_BACK)
