"""What the checks of whole models share: their sizes, what they read, and what is asked of them."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import Tokens, probe, sizes_of

from .parts import BY_ATTENTION

TRANSFORMER: dict[str, Any] = {
    "sizes": {
        **{"N": 2, "L_src": 6, "L": 5, "vocab_size": 11, "heads": 2, "d_head": 4, "d_ff": 7},
        "num_layers": 2,
    },
    "multiples": {"d_head": 2},
    "smallest": {"vocab_size": 3},
    "traced": BY_ATTENTION,
}
IDS = {"src": Tokens("N L_src", "vocab_size"), "tgt": Tokens("N L", "vocab_size", inside=True)}


def with_a_memory(model: Any, src: Any, tgt: Any, memory: Any) -> Any:
    def at_tokens(found: Any, ids: Any) -> Any:  # what stands at padding is nobody's
        if not isinstance(found, torch.Tensor) or found.shape[:-1] != ids.shape:
            return found
        return found.masked_fill((ids == 0)[..., None], 0)

    encoded = model.encode(src)
    model.encode(src.flip(1))  # what is decoded after it has its own source
    decoded = model.decode(tgt, memory, src)
    said = model(src, tgt), decoded, encoded  # last, so that a later call meets what it has kept
    return [at_tokens(one, ids) for one, ids in zip(said, (tgt, tgt, src), strict=True)]


@probe
def described(answers: Any, vocab_size: int, pad_id: int | None) -> dict[str, Any]:
    torch.manual_seed(1)
    given = {} if pad_id is None else {"pad_id": pad_id}
    model = answers.Transformer(vocab_size, **given)
    heads: list[int] = []

    def note(part: Any, read: Any, said: Any) -> None:
        if isinstance(said, (tuple, list)) and len(said) > 1:
            heads.append(said[1].shape[1])

    for part in model.modules():
        if isinstance(part, answers.MultiHeadAttention):
            part.register_forward_hook(note)
    logits = model(torch.tensor([[5, 6, 7]]), torch.tensor([[1, 7]]))
    torch.autograd.backward(logits.square().sum())
    embeddings = [part for part in model.modules() if isinstance(part, nn.Embedding)]
    places = [part.padding_idx for part in embeddings]
    zero = all((part.weight[pad_id or 0] == 0).all() for part in embeddings)
    return {
        "parameters": sum(one.numel() for one in model.parameters() if one.grad is not None),
        "heads": max(heads, default=0),
        "padding": bool(places == [pad_id or 0, pad_id or 0] and zero),
    }


@probe
def stacked(answers: Any, sizes: Any) -> dict[str, Any]:
    model = answers.Transformer(*sizes.tolist())
    torch.autograd.backward(model(torch.tensor([[5, 6, 7]]), torch.tensor([[1, 7]])).square().sum())
    return {"parameters": sum(one.numel() for one in model.parameters() if one.grad is not None)}


@probe
def padded(answers: Any, sizes: Any, src: Any, tgt: Any) -> dict[str, Any]:
    pad = sizes[-1]

    def made(pad_id: int) -> Any:
        model = answers.Transformer(*sizes[:-1].tolist(), pad_id)
        with torch.no_grad():
            for numbers in model.parameters():  # in whatever order they were made
                numbers.copy_(torch.arange(numbers.numel()).add(1).cos().view_as(numbers))
        return model

    def swapped(ids: Any) -> Any:
        return torch.where(ids == pad, 0, torch.where(ids == 0, pad, ids))

    model, usual = made(int(pad)), made(0)
    for part in usual.modules():
        if isinstance(part, nn.Embedding):
            part.weight.data = part.weight[swapped(torch.arange(len(part.weight)))].detach()
    longer = torch.cat([src, pad.expand(len(src), 2)], dim=1)
    real = (tgt != pad)[..., None]
    first, second = (model(ids, tgt).masked_fill(~real, 0) for ids in (src, longer))
    renamed = usual(swapped(src), swapped(tgt)).masked_fill(~real, 0)
    torch.autograd.backward(first.square().sum())
    tables = [part.weight for part in model.modules() if isinstance(part, nn.Embedding)]
    rows = [table.grad[pad].abs().max().item() for table in tables if table.grad is not None]
    told = {"first": first, "second": second, "renamed": renamed}
    return {**told, "trained": max([0.0, *rows])}


# Another padding id, and then id 0 is a token; and the usual one.
PADDED = [
    (
        sizes_of(9, 6, 3, 5, 1, 4),
        torch.tensor([[0, 7, 4], [5, 6, 8]]),
        torch.tensor([[1, 3, 4], [1, 0, 8]]),
    ),
    (
        sizes_of(11, 8, 2, 12, 2, 0),
        torch.tensor([[3, 4, 5], [0, 0, 0]]),
        torch.tensor([[1, 7, 6], [1, 3, 0]]),
    ),
]
