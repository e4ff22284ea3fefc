"""What runs beside `take_out`: a model that answers without a part."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import probe


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


@probe
def put_back(answers: Any, kind: str, sizes: Any, src: Any, tgt: Any, part: str) -> dict[str, Any]:
    """What a model says before, during and after, beside another one that lost the part first.

    And whether a third one stays without it while another part is taken out and put back.
    """
    models = [getattr(answers, kind)(*sizes.tolist()) for _ in range(3)]
    for one in models:
        one.eval()
    for model in models:
        for one in model.parameters():  # the same in whichever order they were made
            torch.default_generator.manual_seed(one.numel())
            nn.init.normal_(one, std=0.5)
    model, other, third = models
    padded = tgt.masked_fill(tgt == tgt[0, -1], 0)
    before = model(src, tgt).detach()
    earlier = answers.take_out(other, part)
    first = other(src, padded).detach()
    handles = answers.take_out(model, part)
    during = []
    for mode in (False, True, False):
        model.train(mode)
        during.append(model(src, tgt).detach())
    next_one = model(src, padded).detach()
    listed = isinstance(handles, list) and len(handles) > 0
    for handle in handles if listed else []:
        handle.remove()
    after = model(src, tgt)
    beside = other(src, tgt)
    for handle in earlier if listed else []:
        handle.remove()
    answers.take_out(third, part)
    alone = third(src, tgt).detach()
    another = answers.take_out(third, "residuals" if part == "positions" else "positions")
    for handle in another if isinstance(another, list) else []:
        third(src, tgt)
        handle.remove()
    stays_out = torch.allclose(alone, third(src, tgt), atol=1e-5)
    return {
        **{"listed": listed, "before": before, "during": during[0], "after": after},
        **{"in training": during[1], "later": during[2], "beside": beside},
        **{"beside after": other(src, tgt), "first": first, "next": next_one},
        "stays out": stays_out,
    }


@probe
def left(answers: Any, kind: str, sizes: Any, src: Any, tgt: Any, part: str) -> dict[str, Any]:
    """What a hook before and one behind those of `take_out` see, in a model of float64."""
    model = getattr(answers, kind)(*sizes.tolist()).double()
    model.eval()
    parts = (answers.MultiHeadAttention, answers.PositionalEncoding)
    watched = [one for one in model.modules() if isinstance(one, parts)]
    given: list[Any] = []
    said: dict[str, list[Any]] = {"first": [], "last": []}

    def tensors(things: Any) -> list[Any]:
        return [one for one in things if isinstance(one, torch.Tensor)]

    def note(module: Any, inputs: Any, named: Any) -> None:
        given.extend((one, one.clone()) for one in tensors([*inputs, *named.values()]))

    def hear(when: str) -> Any:
        def heard(module: Any, inputs: Any, answer: Any) -> None:
            several = isinstance(answer, (tuple, list))
            said[when].append(list(answer) if several else [answer])

        return heard

    for module in watched:
        module.register_forward_pre_hook(note, with_kwargs=True)
        module.register_forward_hook(hear("first"))
    own = list(model.modules())
    answers.take_out(model, part)
    for module in watched:
        module.register_forward_hook(hear("last"))
    model(src, tgt)
    pairs = list(zip(said["first"], said["last"], strict=False))
    alike = [len(first) == len(last) == len(tensors(last)) for first, last in pairs]
    whole = [pair for pair, fits in zip(pairs, alike, strict=True) if fits]
    weights = [torch.equal(first[1], last[1]) for first, last in whole if len(last) > 1]
    kinds = [
        one.dtype == was.dtype
        for first, last in whole
        for was, one in zip(first, last, strict=True)
    ]
    return {
        "mode": not any(module.training for module in own),
        "hooks": len(said["first"]) == len(said["last"]) > 0,
        "weights": all(alike) and all(weights),
        "kind": all(kinds),
        "inputs": all(torch.equal(one, was) for one, was in given),
    }
