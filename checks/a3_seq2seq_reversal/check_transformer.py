"""Checks of `Transformer`: encode, decode, and both together."""

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
    expect_count,
    expect_floats,
    points,
    probe,
    same,
    sizes_of,
)

from . import wording
from .parts import IDS, TRANSFORMER


def with_a_memory(model: Any, src: Any, tgt: Any, memory: Any) -> Any:
    def at_tokens(found: Any, ids: Any) -> Any:  # what stands at padding is nobody's
        if not isinstance(found, torch.Tensor) or found.shape[:-1] != ids.shape:
            return found
        return found.masked_fill((ids == 0)[..., None], 0)

    said = model(src, tgt), model.decode(tgt, memory, src), model.encode(src)
    return [at_tokens(one, ids) for one, ids in zip(said, (tgt, tgt, src), strict=True)]


battery = Battery(
    Domain(
        answer="Transformer",
        **TRANSFORMER,
        largest={"num_layers": 2},
        long=43,
        arguments=("vocab_size", "heads*d_head", "heads", "d_ff", "num_layers"),
        inputs={"src": IDS["src"], "memory": "N L_src heads*d_head", "tgt": IDS["tgt"]},
        returns={
            "logits": "N L vocab_size",
            "logits of decode": "N L vocab_size",
            "memory of encode": "N L_src heads*d_head",
        },
        call=Probe(with_a_memory),
        atol=2e-5,
    ),
    **{"values": 1, "sizes": 1, "extremes": 1, "gradients": 3},
    **{"modes": 0.5, "kind": 0.5, "care": 1},
)


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
    model(torch.tensor([[5, 6, 7]]), torch.tensor([[1, 7]]))
    embeddings = [part for part in model.modules() if isinstance(part, nn.Embedding)]
    places = [part.padding_idx for part in embeddings]
    zero = all((part.weight[pad_id or 0] == 0).all() for part in embeddings)
    return {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "heads": max(heads, default=0),
        "padding": bool(places == [pad_id or 0, pad_id or 0] and zero),
    }


@probe
def padded(answers: Any, sizes: Any, src: Any, tgt: Any) -> dict[str, Any]:
    torch.manual_seed(3)
    model, pad = answers.Transformer(*sizes.tolist()), sizes[-1]
    longer = torch.cat([src, pad.expand(len(src), 2)], dim=1)
    real = (tgt != pad)[..., None]
    first, second = (model(ids, tgt).masked_fill(~real, 0) for ids in (src, longer))
    torch.autograd.backward(first.square().sum())
    tables = [part.weight for part in model.modules() if isinstance(part, nn.Embedding)]
    rows = [table.grad[pad].abs().max().item() for table in tables if table.grad is not None]
    return {"first": first, "second": second, "trained": max([0.0, *rows])}


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


@points(1, text="an nn.Embedding with padding_idx for the source, another one for the target")
def check_has_its_layers(student: Student, expected: Expected) -> None:
    """It has two embeddings with their padding, its blocks, a linear layer, and these sizes."""
    for vocab_size, pad_id in ((9, None), (13, 4)):
        reply = student.run(described, vocab_size=vocab_size, pad_id=pad_id)
        expect(reply["padding"] is True, wording.NO_PADDING_INDEX)
        expect_count(reply, "parameters", _parameters(vocab_size, 32, 64), wording.DEFAULTS)
        expect_count(reply, "heads", 1, wording.DEFAULTS)


def _parameters(vocab_size: int, d_model: int, d_ff: int) -> int:
    """How many numbers a model with one block on each side learns."""
    attentions = 3 * 4 * (d_model + 1) * d_model
    feed_forwards = 2 * ((d_model + 1) * d_ff + (d_ff + 1) * d_model)
    ends = 2 * vocab_size * d_model + (d_model + 1) * vocab_size
    return attentions + feed_forwards + 5 * 2 * d_model + ends


@points(1, text="It can, since it knows the padding id")
def check_any_padding_id(student: Student, expected: Expected) -> None:
    """Padding is what `pad_id` says: it changes no logits, and its vector is not trained."""
    for sizes, src, tgt in PADDED:
        reply = student.run(padded, sizes=sizes, src=src, tgt=tgt)
        dims = {"N": len(tgt), "L": tgt.shape[1], "vocab_size": int(sizes[0])}
        first, second = (expect_floats(reply, name, **dims) for name in ("first", "second"))
        expect(same(first, second), wording.PADDING_MATTERS)
        expect(type(reply["trained"]) is float and reply["trained"] == 0, wording.NO_PADDING_INDEX)
