"""What runs beside `take_out`: a model that answers without a part."""

from __future__ import annotations

from typing import Any

from torch import nn


def ablated(
    answers: Any,
    vocab_size: int,
    heads: int,
    d_head: int,
    d_ff: int,
    num_layers: int,
    first: int,
    taken: int,
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
            for part in ("positions", "causal mask", "residuals")[first : first + taken]:
                handles = answers.take_out(self.model, part)
                said.append(self.model(src, tgt).masked_fill((tgt == 0)[..., None], 0))
                for handle in handles or []:
                    handle.remove()
                for table, was in zip(tables, before, strict=True):
                    table.clear()
                    table.update(was)
            return said if taken > 1 else said[0]

    return Ablated()
