"""Checks of `train_step(model, src, tgt, optimizer, bos_id, pad_id=0)`, on a model of our own."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Probe,
    Reply,
    Student,
    Tokens,
    expect,
    expect_floats,
    expect_shape,
    numbers,
    points,
    probe,
    same,
    values,
)

from . import wording
from .models import Small


def stepped(train_step: Any, src: Any, tgt: Any, source: Any, target: Any, last: Any) -> Any:
    model = Small(source, target, last)
    for parameter in model.parameters():  # gradients that a batch before may have left
        parameter.grad = torch.ones_like(parameter)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.5)
    with torch.enable_grad():
        said = [train_step(model, src, tgt, optimizer, 1) for _ in range(3)]
    losses = torch.tensor([float(one) for one in said], dtype=source.dtype)
    return losses, *(table.detach() for table in (model.source, model.target, model.last))


battery = Battery(
    Domain(
        answer="train_step",
        sizes={"N": 3, "L_src": 4, "L": 5, "vocab_size": 9, "width": 6},
        smallest={"vocab_size": 3},
        inputs={
            **{"src": Tokens("N L_src", "vocab_size"), "tgt": Tokens("N L", "vocab_size")},
            **{"source": "vocab_size width", "target": "vocab_size width"},
            "last": "width vocab_size",
        },
        returns={
            "losses of three steps": "3",
            "parameters after them": "vocab_size width",
            "more parameters after them": "vocab_size width",
            "other parameters after them": "width vocab_size",
        },
        call=Probe(stepped, uses=[Small]),
        differentiable=False,
        more={"for a large batch": {"N": 40}},
        extremes=False,
        doubles=False,
        atol=1e-4,
        rtol=1e-3,
    ),
    **{"values": 1, "sizes": 0.75, "care": 0.5},
)


@probe(uses=[Small])
def trained(
    answers: Any, src: Any, tgt: Any, bos_id: int, pad_id: int | None, table: Any
) -> dict[str, Any]:
    model = Small(table, table.flip(0), table.T).eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    given = [] if pad_id is None else [pad_id]
    said = answers.train_step(model, src, tgt, optimizer, bos_id, *given)
    answers.train_step(model.train(), src, tgt, optimizer, bos_id, *given)
    plain = isinstance(said, (int, float)) and not isinstance(said, bool)
    return {
        "loss": torch.tensor([float(said)]) if plain else None,
        "decoder input": model.read[0] if model.read else None,
        "training": bool(model.modes) and all(model.modes),
        "left": model.training,
        "table after": model.target,
    }


# The second case has another padding id, and then id 0 is a token; and a batch of one.
CASES: dict[str, dict[str, Any]] = {
    "plain": {
        "src": torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0], [5, 3, 3, 0]]),
        "tgt": torch.tensor([[6, 5, 4, 3, 2], [8, 7, 2, 0, 0], [3, 3, 5, 2, 0]]),
        **{"bos_id": 1, "pad_id": None, "table": numbers(10, 9, 6)},
    },
    "other_padding": {
        "src": torch.tensor([[3, 0, 5]]),
        "tgt": torch.tensor([[6, 0, 3, 2, 4, 4]]),
        **{"bos_id": 7, "pad_id": 4, "table": numbers(20, 8, 6)},
    },
}


@values
@points(1, text="feeds the decoder the targets **shifted right**")
def check_decoder_reads_the_shifted_targets(student: Student, expected: Expected) -> None:
    """The decoder reads the targets shifted right, so that no position reads its own answer."""
    for inputs in CASES.values():
        reply, tgt = student.run(trained, **inputs), inputs["tgt"]
        expect(reply["decoder input"] is not None, wording.NOT_SHIFTED)
        read = expect_shape(reply, "decoder input", N=tgt.shape[0], L=tgt.shape[1])
        expect((read[:, 1:] == tgt[:, :-1]).all(), wording.NOT_SHIFTED)
        expect((read[:, 0] == inputs["bos_id"]).all(), wording.NOT_SHIFTED)


@points(0.75, text="the mean cross-entropy over the target tokens that are not pad_id")
def check_padding_does_not_count(student: Student, expected: Expected) -> None:
    """More padding in the targets, whichever id it has, changes neither the loss nor the step."""
    for inputs in CASES.values():
        longer = nn.functional.pad(inputs["tgt"], (0, 5), value=inputs["pad_id"] or 0)
        rows, columns = inputs["table"].shape
        found = [student.run(trained, **{**inputs, "tgt": t}) for t in (inputs["tgt"], longer)]
        for name, dims in (("loss", (1,)), ("table after", (rows, columns))):
            expect(found[0][name] is not None, wording.NOT_A_NUMBER)
            sizes = dict(zip(("vocab_size", "width"), dims, strict=False))
            one, other = (expect_floats(reply, name, **sizes) for reply in found)
            expect(same(one, other), wording.PADDING_COUNTS)


@points(0.5, text="It puts the model into training mode")
def check_model_is_in_training_mode(student: Student, expected: Expected) -> None:
    """The model, with all its parts, is in training mode when it answers."""
    for inputs in CASES.values():
        reply = student.run(trained, **inputs)
        expect(reply["training"] is True, wording.NOT_TRAINING)
        expect(reply["left"] is True, wording.LEFT_EVALUATING)


@points(
    0.5, text="It returns the loss of this batch, as it was before the step, as a Python number."
)
def check_loss_is_a_number(student: Student, expected: Expected) -> None:
    """The loss is returned as a plain number, and is the right one for any padding id."""
    for case, inputs in CASES.items():
        reply = student.run(trained, **inputs)
        expect(reply["loss"] is not None, wording.NOT_A_NUMBER)
        expected.match(case, Reply.of({"loss": reply.tensor("loss")}))
