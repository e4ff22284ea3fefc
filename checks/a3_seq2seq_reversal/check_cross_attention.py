"""Checks of `cross_attention(model, src, tgt)`, on models of the student's `Transformer`."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Probe,
    Student,
    expect,
    points,
    probe,
    sizes_of,
)

from . import wording
from .whole_models import IDS, TRANSFORMER


def looked_into(
    answers: Any,
    vocab_size: int,
    heads: int,
    d_head: int,
    d_ff: int,
    num_layers: int,
    wider: int,
    **others: int,
) -> Any:
    class LookedInto(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            width = heads * d_head
            self.model = answers.Transformer(vocab_size, width, heads, d_ff, num_layers)

        def forward(self, src: Any, tgt: Any) -> Any:
            src = nn.functional.pad(src, (0, wider))  # a column that is padding for all
            maps = answers.cross_attention(self.model, src, tgt)
            if not isinstance(maps, (list, tuple)):
                return maps
            asks = (tgt != 0)[:, None, :, None]  # what is asked from padding is nobody's
            shown = [
                one.masked_fill(~asks, 0)
                if isinstance(one, torch.Tensor) and one.dim() == 4 and one.shape[2] == len(tgt[0])
                else one
                for one in maps
            ]
            return shown[0] if len(shown) == num_layers == 1 else shown

    return LookedInto()


def with_layers(count: int, wider: int = 0, **more: Any) -> Domain:
    fixed = {"num_layers": count, "wider": wider}
    return Domain(
        answer="cross_attention",
        **{
            **TRANSFORMER,
            "sizes": {**TRANSFORMER["sizes"], **fixed},
            "smallest": {**TRANSFORMER["smallest"], **fixed},
        },
        largest=fixed,
        inputs=IDS,
        returns={f"weights of layer {n}": "N heads L L_src+wider" for n in range(1, count + 1)},
        make=Probe(looked_into),
        differentiable=False,
        extremes=False,
        doubles=False,
        **more,
    )


battery = Battery(
    with_layers(3, only=("example", "other", "equal", "equal_lengths", "single")),
    **{"values": 1.75, "sizes": 0.25, "care": 0.5},
)
two_layers = Battery(
    with_layers(
        2,
        wider=1,
        part="two",
        about="in a model with two layers, where all sources end in padding",
        only=("example", "ones", "where both are as long"),
        more={"where both are as long": {"L": 6, "L_src": 5}},
    ),
    everywhere=0.25,
)
one_layer = Battery(
    with_layers(1, part="one", about="in a model with one layer", only=("example",)),
    everywhere=0.25,
)


@probe
def left(answers: Any, sizes: Any, src: Any, tgt: Any) -> dict[str, Any]:
    torch.manual_seed(2)
    model = answers.Transformer(*sizes.tolist())
    calls = [0]

    def count(*given: Any) -> None:
        calls[0] += 1

    own = next(p for p in model.modules() if isinstance(p, answers.MultiHeadAttention))
    own.register_forward_hook(count)
    kinds = ("_forward_hooks", "_forward_pre_hooks")
    hooks = [[len(getattr(part, kind)) for part in model.modules()] for kind in kinds]
    maps = answers.cross_attention(model, src, tgt)
    now = [[len(getattr(part, kind)) for part in model.modules()] for kind in kinds]
    calls[0] = 0
    model(src, tgt)
    return {"list": isinstance(maps, list), "same": now == hooks, "own": calls[0] == 1}


@points(1, text="It leaves no hook of its own behind.")
def check_leaves_no_hook(student: Student) -> None:
    """It returns a list, and afterwards the model has the hooks that it had before."""
    ids = {"src": torch.tensor([[3, 4, 5, 6]]), "tgt": torch.tensor([[1, 6, 5]])}
    reply = student.run(left, sizes=sizes_of(9, 8, 2, 5, 2), **ids)
    expect(reply["list"] is True, wording.NO_LIST)
    expect(reply["same"] is True and reply["own"] is True, wording.HOOKS_LEFT)
