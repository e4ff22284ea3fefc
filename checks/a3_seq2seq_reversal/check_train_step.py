"""Checks of `train_step(model, src, tgt, optimizer, bos_id, pad_id=0)`, on a model of our own."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Expected,
    Reply,
    Student,
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

STEPS = 4


@probe
def trained(
    answers: Any,
    src: Any,
    tgt: Any,
    steps: int,
    bos_id: int,
    pad_id: int | None,
    **tables: Any,
) -> dict[str, Any]:
    class Small(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tables = nn.ParameterDict({n: nn.Parameter(t) for n, t in tables.items()})
            self.read: list[Any] = []
            self.modes: list[bool] = []

        def encode(self, src: Any) -> Any:
            return self.tables["source"][src].mean(dim=1, keepdim=True)

        def decode(self, tgt: Any, memory: Any, src: Any) -> Any:
            self.read.append(tgt.clone())
            self.modes.append(self.training)
            return torch.tanh(self.tables["target"][tgt] + memory) @ self.tables["last"]

        def forward(self, src: Any, tgt: Any) -> Any:
            return self.decode(tgt, self.encode(src), src)

    model = Small().eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.5)
    given = [] if pad_id is None else [pad_id]
    said = [answers.train_step(model, src, tgt, optimizer, bos_id, *given) for _ in range(steps)]
    numeric = all(isinstance(one, (int, float, torch.Tensor)) for one in said)
    return {
        "losses": torch.tensor([float(one) for one in said]) if numeric else None,
        "plain": all(type(one) is float for one in said),
        "decoder input": model.read[0] if model.read else None,
        "training": all(model.modes),
        **{f"{name} after": table for name, table in model.tables.items()},
        "src": src,
        "tgt": tgt,
    }


def _tables(seed: int, vocab_size: int) -> dict[str, torch.Tensor]:
    return {
        "source": numbers(seed, vocab_size, 6),
        "target": numbers(seed + 1, vocab_size, 6),
        "last": numbers(seed + 2, 6, vocab_size),
    }


# The second case has another padding id, and then id 0 is a token; and a batch of one.
PLAIN: dict[str, Any] = {
    "src": torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0], [5, 3, 3, 0]]),
    "tgt": torch.tensor([[6, 5, 4, 3, 2], [8, 7, 2, 0, 0], [3, 3, 5, 2, 0]]),
    "bos_id": 1,
    "pad_id": None,
    **_tables(10, 9),
}
OTHER: dict[str, Any] = {
    "src": torch.tensor([[3, 0, 5]]),
    "tgt": torch.tensor([[6, 0, 3, 2, 4, 4]]),
    "bos_id": 7,
    "pad_id": 4,
    **_tables(20, 8),
}
CASES = {"plain": PLAIN, "other_padding": OTHER}


@points(2)
def check_losses_and_parameters_are_right(student: Student, expected: Expected) -> None:
    """The losses of a few steps, and the parameters after them, are the right ones."""
    names = ("losses", "source after", "target after", "last after")
    for case, inputs in CASES.items():
        reply = student.run(trained, steps=STEPS, **inputs)
        expect(reply["losses"] is not None, wording.NOT_A_NUMBER)
        expected.match(case, Reply.of({name: reply.tensor(name) for name in names}))


@values
@points(1)
def check_decoder_reads_the_shifted_targets(student: Student, expected: Expected) -> None:
    """The decoder reads the targets shifted right, so that no position reads its own answer."""
    for inputs in CASES.values():
        reply = student.run(trained, steps=1, **inputs)
        tgt = inputs["tgt"]
        read = expect_shape(reply, "decoder input", N=tgt.shape[0], L=tgt.shape[1])
        expect((read[:, 1:] == tgt[:, :-1]).all(), wording.NOT_SHIFTED)
        expect((read[:, 0] == inputs["bos_id"]).all(), wording.NOT_SHIFTED)


@points(1)
def check_padding_does_not_count(student: Student, expected: Expected) -> None:
    """More padding in the targets changes neither the loss nor the step."""
    for inputs in CASES.values():
        longer = nn.functional.pad(inputs["tgt"], (0, 5), value=inputs["pad_id"] or 0)
        plain = student.run(trained, steps=2, **inputs)
        padded = student.run(trained, steps=2, **{**inputs, "tgt": longer})
        expect(plain["losses"] is not None, wording.NOT_A_NUMBER)
        losses, others = (expect_floats(reply, "losses", steps=2) for reply in (plain, padded))
        expect(same(others, losses), wording.PADDING_COUNTS)
        rows, columns = inputs["target"].shape
        table, other = (
            expect_floats(reply, "target after", vocab_size=rows, d_model=columns)
            for reply in (plain, padded)
        )
        expect(same(other, table), wording.PADDING_COUNTS)


@values
@points(1)
def check_trains(student: Student, expected: Expected) -> None:
    """In training mode the loss goes down, and it is returned as a plain number."""
    for inputs in CASES.values():
        reply = student.run(trained, steps=STEPS, **inputs)
        expect(reply["training"] is True, wording.NOT_TRAINING)
        expect(reply["losses"] is not None, wording.NOT_A_NUMBER)
        losses = expect_floats(reply, "losses", steps=STEPS)
        expect((losses[1:] < losses[:-1]).all(), wording.LOSS_STAYS)
        expect(reply["plain"] is True, wording.NOT_A_NUMBER)
