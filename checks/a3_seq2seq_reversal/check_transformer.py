"""Checks of `Transformer`: encode, decode, and both together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_count,
    expect_floats,
    expect_gradients,
    expect_kept,
    expect_shape,
    expect_unchanged,
    expect_varied,
    numbers,
    points,
    probe,
    same,
    sizes_of,
    values,
)

from . import wording
from .filling import (
    encoder_stack_weights,
    transformer_weights,
)
from .modules import (
    Case,
    applied,
    differentiated,
    expect_parts,
    in_double,
    match_filled,
)

NAME = "Transformer"
ORDER = "src tgt"
SIZES = sizes_of(11, 8, 2, 12, 2, 0)
SRC = torch.tensor([[3, 4, 5, 6, 7, 10], [8, 9, 3, 0, 0, 0]])
TGT = torch.tensor([[1, 10, 7, 6], [1, 3, 9, 0]])
DIMS = {"N": 2, "L": 4, "vocab_size": 11}


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
def composed(answers: Any, sizes: Any, src: Any, tgt: Any) -> dict[str, Any]:
    torch.manual_seed(1)
    model = answers.Transformer(*sizes.tolist())
    memory = model.encode(src)
    return {"together": model(src, tgt), "logits": model.decode(tgt, memory, src), "memory": memory}


@probe
def padding_gradient(answers: Any, sizes: Any, src: Any, tgt: Any) -> dict[str, Any]:
    torch.manual_seed(1)
    model = answers.Transformer(*sizes.tolist())
    model(src, tgt).square().sum().backward()
    tables = [part.weight for part in model.modules() if isinstance(part, nn.Embedding)]
    rows = [t.grad[sizes[-1]].abs().max().item() for t in tables if t.grad is not None]
    return {"largest": max([0.0, *rows])}


def _case(seed: int, *sizes: int, src: torch.Tensor, tgt: torch.Tensor) -> Case:
    vocab_size, d_model, heads, d_ff, num_layers, pad_id = sizes
    weights = transformer_weights(seed, vocab_size, d_model, d_ff, num_layers, pad_id)
    return {"sizes": sizes_of(*sizes), "heads": heads, "src": src, "tgt": tgt, **weights}


def _encoded(seed: int, *sizes: int, src: torch.Tensor) -> Case:
    vocab_size, d_model, heads, d_ff, num_layers, pad_id = sizes
    weights = encoder_stack_weights(seed, vocab_size, d_model, d_ff, num_layers, pad_id)
    return {
        "sizes": sizes_of(*sizes),
        "heads": heads,
        "method": "encode",
        "src": src,
        **weights,
    }


# Padding in both sequences; another padding id, and then id 0 is a token; a batch of one.
CASES: dict[str, Case] = {
    "padded": _case(100, 11, 8, 2, 12, 2, 0, src=SRC, tgt=TGT),
    "other_padding": _case(
        200,
        *(9, 6, 3, 5, 1, 4),
        src=torch.tensor([[0, 7, 4], [5, 6, 8]]),
        tgt=torch.tensor([[1, 3, 4], [1, 0, 8]]),
    ),
    "batch_of_one": _case(
        300, *(7, 4, 1, 8, 1, 0), src=torch.tensor([[3, 6]]), tgt=torch.tensor([[1]])
    ),
}
ENCODED: dict[str, Case] = {
    "encoded": _encoded(500, *(11, 8, 2, 12, 2, 0), src=SRC),
    "encoded_other_padding": _encoded(
        600, *(9, 6, 3, 5, 1, 4), src=torch.tensor([[0, 7, 4], [5, 6, 8]])
    ),
}
# The causal mask alone hides padding that comes last from all tokens, but not padding in between.
INSIDE = {
    "padding_inside": _case(
        400, *(11, 8, 2, 12, 2, 0), src=SRC, tgt=torch.tensor([[1, 10, 0, 7], [1, 0, 0, 9]])
    )
}


def _seeded(cases: Mapping[str, Case]) -> dict[str, Case]:
    kept = ("sizes", "src", "tgt", "method")
    return {
        f"seeded_{case}": {"seed": 3, **{name: given[name] for name in kept if name in given}}
        for case, given in cases.items()
    }


def _real(reply: Reply, case: Case) -> Reply:
    """The output, with zeros where the tokens are padding: what stands there is nobody's."""
    found, sizes = reply.tensor("output"), case["sizes"]
    tokens = case["tgt"] if "tgt" in case else case["src"]
    assert isinstance(tokens, torch.Tensor)
    assert isinstance(sizes, torch.Tensor)
    if found.dim() == 3 and found.shape[:2] == tokens.shape:
        found = found.masked_fill((tokens == sizes[-1])[..., None], 0)
    return Reply.of({"output": found})


def _twice(student: Student, **given: torch.Tensor) -> tuple[torch.Tensor, Reply]:
    """The logits of a first run, and the reply with those of a second one as `second`."""
    reply = student.run(applied, name=NAME, order=ORDER, sizes=SIZES, **given)
    return expect_varied(reply, "output", **DIMS), reply


@points(1)
def check_encode_and_decode_fit_together(student: Student, expected: Expected) -> None:
    """Memory and logits have their shapes, and `forward` is `decode` of `encode`."""
    for sizes, src, tgt in ((SIZES, SRC, TGT), (sizes_of(9, 6, 3, 5, 1, 4), SRC[:1], TGT[:1, :2])):
        vocab_size, d_model = sizes[:2].tolist()
        ids = {"src": src % vocab_size, "tgt": tgt % vocab_size}
        reply = student.run(composed, sizes=sizes, **ids)
        expect_shape(reply, "memory", N=len(src), L_src=src.shape[1], d_model=d_model)
        dims = {"N": len(tgt), "L": tgt.shape[1], "vocab_size": vocab_size}
        together = expect_varied(reply, "together", **dims)
        logits = expect_varied(reply, "logits", **dims)
        expect(same(together, logits), wording.NOT_TOGETHER)


@points(1)
def check_has_its_layers(student: Student, expected: Expected) -> None:
    """It has two embeddings with their padding, its blocks, a linear layer, and these sizes."""
    expect_parts(student, NAME, ORDER, CASES["padded"])
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


@points(1)
def check_encode_has_the_right_values(student: Student, expected: Expected) -> None:
    """The memory of real tokens has the right values."""
    match_filled(student, expected, NAME, "src", ENCODED, _seeded(ENCODED), _real)


@points(2)
def check_logits_have_the_right_values(student: Student, expected: Expected) -> None:
    """The logits at real tokens have the right values."""
    match_filled(student, expected, NAME, ORDER, CASES, _seeded(CASES), _real)


@points(1)
def check_padding_inside_the_target_is_hidden(student: Student, expected: Expected) -> None:
    """Target tokens do not attend to padding that stands between them."""
    match_filled(student, expected, NAME, ORDER, INSIDE, _seeded(INSIDE), _real)


@values
@points(1)
def check_no_position_knows_the_future(student: Student, expected: Expected) -> None:
    """The logits at a position depend on no target token after it, and on those up to it."""
    for changed in range(1, 4):
        tgt = TGT.clone()
        tgt[:, changed:] = torch.tensor([[5], [8]])
        output, reply = _twice(student, src=SRC, tgt=TGT, tgt_2=tgt)
        second = expect_floats(reply, "second", **DIMS)
        expect(same(second[:, :changed], output[:, :changed]), wording.FUTURE_KNOWN)
        moved = (second - output).abs().amax(dim=(0, 2))
        expect((moved[changed:] > 1e-6).all(), wording.PAST_UNSEEN)


@values
@points(1)
def check_more_padding_changes_nothing(student: Student, expected: Expected) -> None:
    """Columns of padding after the source or after the target change no logits of real tokens."""
    longer = {name: nn.functional.pad(ids, (0, 3)) for name, ids in (("src", SRC), ("tgt", TGT))}
    for name, length in (("src", 4), ("tgt", 7)):
        output, reply = _twice(student, src=SRC, tgt=TGT, **{f"{name}_2": longer[name]})
        second = expect_floats(reply, "second", N=2, L=length, vocab_size=11)[:, :4]
        real = TGT != 0
        expect(same(second[real], output[real]), wording.PADDING_MATTERS)
    alone, reply = _twice(student, src=SRC, tgt=TGT, src_2=SRC[1:, :3], tgt_2=TGT[1:, :3])
    second = expect_floats(reply, "second", N=1, L=3, vocab_size=11)
    expect(same(second, alone[1:, :3]), wording.PADDING_MATTERS)


@points(1)
def check_gradients_reach_every_parameter(student: Student, expected: Expected) -> None:
    """The gradient reaches every parameter, but not the vectors of padding."""
    direction = numbers(9, 2, 4, 11)
    reply = student.run(
        differentiated, name=NAME, order=ORDER, sizes=SIZES, src=SRC, tgt=TGT, direction=direction
    )
    expect_gradients(reply, **DIMS)
    reply = student.run(padding_gradient, sizes=SIZES, src=SRC, tgt=TGT)
    expect(type(reply["largest"]) is float and reply["largest"] == 0, wording.NO_PADDING_INDEX)


@points(1)
def check_keeps_dtype_device_and_ids(student: Student, expected: Expected) -> None:
    """The logits have the model's dtype and device, and the ids stay as they are."""
    given = {"src": SRC, "tgt": TGT}
    expect_kept(student.run(in_double, name=NAME, order=ORDER, sizes=SIZES, **given))
    expect_unchanged(student.run(applied, name=NAME, order=ORDER, sizes=SIZES, **given), given)
