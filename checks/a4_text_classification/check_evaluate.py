"""Checks of `evaluate(model, loader)`, with a model that looks its answers up in a table."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import Expected, Reply, Student, expect, numbers, points, probe, values

from . import wording


@probe
def measured(
    answers: Any, table: Any, labels: Any, batch_size: int, training: bool
) -> dict[str, Any]:
    class Recorded(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Parameter(table.clone())
            self.dropout = nn.Dropout(0.5)
            self.seen: list[Any] = []

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            rows = input_ids[:, 0]
            trained = [self.training, torch.is_grad_enabled()]
            self.seen += [(int(row), *trained) for row in rows]
            return torch.log_softmax(self.dropout(self.table)[rows], dim=-1)

    ids = torch.arange(len(labels))[:, None].repeat(1, 3)
    columns = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}
    items: Any = [{name: column[i] for name, column in columns.items()} for i in range(len(labels))]
    loader: Any = torch.utils.data.DataLoader(items, batch_size)
    torch.manual_seed(5)
    model = Recorded().train(training)
    pair = answers.evaluate(model, loader)
    is_pair = isinstance(pair, (tuple, list)) and len(pair) == 2
    loss, accuracy = pair if is_pair else (None, None)
    plain = isinstance(loss, float) and isinstance(accuracy, float)
    seen = torch.tensor(model.seen, dtype=torch.int64).reshape(-1, 3)
    return {
        "is_pair": is_pair and plain,
        "loss": torch.as_tensor(loss, dtype=torch.float64).reshape(-1) if is_pair else None,
        "accuracy": torch.as_tensor(accuracy, dtype=torch.float64).reshape(-1) if is_pair else None,
        "rows": seen[:, 0],
        "in_training": bool(seen[:, 1].any()),
        "with_gradients": bool(seen[:, 2].any()),
        "left_training": model.training,
        "table": model.table,
        "gradient": model.table.grad,
    }


TABLE = numbers(1, 11, 4, scale=2.0)
LABELS = torch.tensor([0, 3, 2, 1, 1, 0, 3, 2, 2, 1, 3])
LABELS[:5] = TABLE[:5].argmax(dim=-1)
EVEN: dict[str, Any] = {"table": TABLE[:10], "labels": LABELS[:10], "batch_size": 5}
UNEVEN: dict[str, Any] = {"table": TABLE, "labels": LABELS, "batch_size": 4}


def _expect(reply: Reply, name: str, wanted: torch.Tensor, sentence: str) -> None:
    expect(reply[name] is not None, wording.NO_PAIR)
    found = reply.tensor(name)
    expect(found.shape == (1,) and found.dtype == torch.float64, sentence)
    expect(torch.allclose(found[0], wanted.double(), 1e-5, 1e-6), sentence)


def _match_loss(student: Student, given: dict[str, Any]) -> None:
    rows = torch.arange(len(given["labels"]))
    log_probs = torch.log_softmax(given["table"].double(), dim=-1)
    wanted = -log_probs[rows, given["labels"]].mean()
    reply = student.run(measured, training=False, **given)
    _expect(reply, "loss", wanted, wording.OTHER_LOSS)


def _match_accuracy(student: Student, given: dict[str, Any]) -> None:
    right = given["table"].argmax(dim=-1) == given["labels"]
    reply = student.run(measured, training=False, **given)
    _expect(reply, "accuracy", right.double().mean(), wording.OTHER_ACCURACY)


@points(1)
def check_returns_two_floats(student: Student, expected: Expected) -> None:
    """`evaluate` returns the pair (loss, accuracy), two Python floats."""
    reply = student.run(measured, training=False, **UNEVEN)
    expect(reply["is_pair"] is True, wording.NO_PAIR)


@values
@points(1)
def check_loss_over_even_batches(student: Student, expected: Expected) -> None:
    """Over batches of one size the loss is right."""
    _match_loss(student, EVEN)


@values
@points(2)
def check_loss_over_an_uneven_last_batch(student: Student, expected: Expected) -> None:
    """When the last batch is smaller, the loss is still the mean over all headlines."""
    _match_loss(student, UNEVEN)
    _match_loss(student, {**UNEVEN, "batch_size": 20})


@values
@points(1)
def check_accuracy_over_even_batches(student: Student, expected: Expected) -> None:
    """Over batches of one size the accuracy is right."""
    _match_accuracy(student, EVEN)


@values
@points(1)
def check_accuracy_over_an_uneven_last_batch(student: Student, expected: Expected) -> None:
    """When the last batch is smaller, the accuracy is still the share of all headlines."""
    _match_accuracy(student, UNEVEN)
    _match_accuracy(student, {**UNEVEN, "batch_size": 20})


@points(1)
def check_runs_without_gradients(student: Student, expected: Expected) -> None:
    """The model runs while gradients are switched off."""
    reply = student.run(measured, training=True, **UNEVEN)
    expect(reply.tensor("rows").numel() > 0, wording.NOT_ONCE)
    expect(reply["with_gradients"] is False, wording.WITH_GRADIENTS)


@points(1)
def check_runs_in_evaluation_mode(student: Student, expected: Expected) -> None:
    """The model runs in evaluation mode, also when it comes in training mode."""
    reply = student.run(measured, training=True, **UNEVEN)
    expect(reply.tensor("rows").numel() > 0, wording.NOT_ONCE)
    expect(reply["in_training"] is False, wording.IN_TRAINING)


@points(1)
def check_leaves_the_mode_as_it_was(student: Student, expected: Expected) -> None:
    """The model leaves in the mode, training or evaluation, in which it came."""
    for training in (True, False):
        reply = student.run(measured, training=training, **UNEVEN)
        expect(reply["left_training"] is training, wording.OTHER_MODE)


@points(1)
def check_asks_once_and_changes_nothing(student: Student, expected: Expected) -> None:
    """Each headline goes through the model once, and the model's parameters stay as they are."""
    reply = student.run(measured, training=False, **UNEVEN)
    expect(reply.tensor("rows").tolist() == list(range(len(LABELS))), wording.NOT_ONCE)
    unchanged = torch.equal(reply.tensor("table"), TABLE) and reply["gradient"] is None
    expect(unchanged, wording.CHANGED_MODEL)
