"""Checks of `evaluate(model, loader)`, with a model that looks its answers up in a table."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import Reply, Student, expect, numbers, points, values

from . import wording
from .measuring import measured

TABLE = numbers(1, 11, 4, scale=2.0)
LABELS = torch.tensor([0, 3, 2, 1, 1, 0, 3, 2, 2, 1, 3])
LABELS[:5] = TABLE[:5].argmax(dim=-1)
Given = dict[str, Any]
EVEN: list[Given] = [
    {"table": TABLE[:10], "labels": LABELS[:10], "batch_size": 5},
    {"table": 100 * numbers(2, 8, 4), "labels": torch.arange(8) % 4, "batch_size": 4},
    {"table": TABLE[:1], "labels": LABELS[:1], "batch_size": 1},
]
UNEVEN: list[Given] = [
    {"table": TABLE, "labels": LABELS, "batch_size": 4},
    {"table": TABLE, "labels": LABELS, "batch_size": 5},
    {"table": TABLE, "labels": LABELS, "batch_size": 20},
    {"table": numbers(2, 9, 7), "labels": torch.arange(9) % 7, "batch_size": 7},
    {"table": numbers(3, 67, 5), "labels": torch.arange(67) % 5, "batch_size": 2},
]
DROPPED: Given = {**UNEVEN[0], "drop_last": True}


def _wanted(given: Given) -> dict[str, torch.Tensor]:
    size = given["batch_size"]
    count = len(given["labels"]) // size * size if given.get("drop_last") else len(given["labels"])
    rows, labels = torch.arange(count), given["labels"][:count]
    scores = given["table"][:count].double() * (rows % 3 + 1)[:, None]
    log_probs = torch.log_softmax(scores, dim=-1)
    right = log_probs.argmax(dim=-1) == labels
    return {"loss": -log_probs[rows, labels].mean(), "accuracy": right.double().mean()}


def _measured(student: Student, given: Given, *, training: bool) -> Reply:
    return student.run(measured, training=training, **{"drop_last": False, **given})


def _expect(reply: Reply, name: str, given: Given) -> None:
    expect(reply[name] is not None, wording.NO_PAIR)
    found, wanted = reply.tensor(name), _wanted(given)[name]
    sentence = wording.OTHER_LOSS if name == "loss" else wording.OTHER_ACCURACY
    expect(found.shape == (1,) and found.dtype == torch.float64, sentence)
    expect(torch.allclose(found[0], wanted, 1e-5, 1e-6), sentence)


def _match(student: Student, name: str, cases: list[Given]) -> None:
    for given in cases:
        _expect(_measured(student, given, training=False), name, given)


@values
@points(0.75, text="It returns the pair (loss, accuracy), two Python floats")
def check_returns_the_pair_of_two_floats(student: Student) -> None:
    """`evaluate` returns the right pair (loss, accuracy), two Python floats."""
    reply = _measured(student, EVEN[0], training=False)
    expect(reply["plain"] is True, wording.NO_PAIR)
    for name in ("loss", "accuracy"):
        _expect(reply, name, EVEN[0])


@values
@points(0.5, text="The loss of a data set is the mean of $-\\log p_y$ over its headlines")
def check_loss_over_even_batches(student: Student) -> None:
    """Over batches of one size the loss is right."""
    _match(student, "loss", EVEN)


@values
@points(0.75, text="the means over all headlines that the loader gives")
def check_loss_over_an_uneven_last_batch(student: Student) -> None:
    """When the last batch is smaller, or dropped, the loss is still the mean over all headlines."""
    _match(student, "loss", [*UNEVEN, DROPPED])


@values
@points(0.5, text="the accuracy the share of headlines whose most probable class is the right one")
def check_accuracy_over_even_batches(student: Student) -> None:
    """Over batches of one size the accuracy is right."""
    _match(student, "accuracy", EVEN)


@values
@points(0.75, text="the means over all headlines that the loader gives")
def check_accuracy_over_an_uneven_last_batch(student: Student) -> None:
    """When the last batch is smaller, or dropped, the accuracy is still the share of them all."""
    _match(student, "accuracy", [*UNEVEN, DROPPED])


def _asked(student: Student, *, training: bool) -> Reply:
    reply = _measured(student, UNEVEN[0], training=training)
    expect(reply.tensor("rows").numel() > 0, wording.NOT_ONCE)
    return reply


@points(0.5, text="The model runs in evaluation mode and without gradients")
def check_runs_without_gradients(student: Student) -> None:
    """The model runs while gradients are switched off."""
    reply = _asked(student, training=True)
    expect(reply["with_gradients"] is False, wording.WITH_GRADIENTS)


@points(0.5, text="The model runs in evaluation mode and without gradients")
def check_runs_in_evaluation_mode(student: Student) -> None:
    """The model runs in evaluation mode, also when it comes in training mode."""
    expect(_asked(student, training=True)["in_training"] is False, wording.IN_TRAINING)


@points(0.75, text="in the end it is back in the mode, training or evaluation, that it came in")
def check_leaves_no_trace(student: Student) -> None:
    """The model is called once for each headline; its state, batches and torch's stay."""
    for training in (True, False):
        reply = _asked(student, training=training)
        expect(reply["left_training"] is training, wording.OTHER_MODE)
        expect(torch.equal(reply.tensor("rows"), torch.arange(len(LABELS))), wording.NOT_ONCE)
        kept = [torch.equal(reply.tensor(name), TABLE) for name in ("table", "gradient")]
        expect(all(kept) and reply["trainable"] is True, wording.CHANGED_MODEL)
        expect(reply["kept"] is True, wording.CHANGED_BATCH)
        expect(reply["called"] is True, wording.NOT_CALLED)
        expect(reply["drew"] is False and reply["switches"] == "", wording.LEFT_SWITCHES)
        expect(reply["switched_on"] is False, wording.LEFT_SWITCHES)
        expect(reply["same_again"] is True, wording.REMEMBERS)
