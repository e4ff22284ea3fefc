"""Checks of `train_step` and `eval_step`, on a small model that the probe makes."""

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
)

from . import wording

STEPS = 4
LONG = 60


@probe
def stepped(
    answers: Any,
    x: Any,
    y: Any,
    weight: Any,
    places: Any,
    optimizer: str,
    lr: float,
    dropout: float = 0.0,
) -> dict[str, Any]:
    class Given(nn.Module):
        """Mixes in the opposite position, so that it can learn to reverse."""

        def __init__(self) -> None:
            super().__init__()
            self.input_dim = weight.shape[1]
            self.weight = nn.Parameter(weight.clone())
            self.places = nn.Parameter(places.clone())
            self.dropout = nn.Dropout(dropout)
            self.modes: list[bool] = []

        def forward(self, x: Any, mask: Any = None, add_positional_encoding: bool = True) -> Any:
            self.modes.append(self.training)
            return self.dropout(0.5 * x + x.flip(1)) @ self.weight.T + self.places

    model = Given().eval()
    kinds = {"sgd": torch.optim.SGD, "adamw": torch.optim.AdamW}
    options = {"momentum": 0.5} if optimizer == "sgd" else {"weight_decay": 0.1}
    chosen = kinds[optimizer](model.parameters(), lr=lr, **options)
    torch.manual_seed(3)
    pairs = []
    for step in range(len(x)):
        pairs.append(answers.train_step(model, x[step], y[step], chosen))
        model.eval()  # as an evaluation between two steps would leave it
    numbers = torch.tensor([[float(part) for part in pair] for pair in pairs])
    return {
        "losses": numbers[:, 0],
        "accuracies": numbers[:, 1],
        "weight": model.weight,
        "places": model.places,
        "trains": all(model.modes) and bool(model.modes),
        "floats": all(type(part) is float for pair in pairs for part in pair),
        "x": x,
        "y": y,
    }


@probe
def evaluated(answers: Any, x: Any, y: Any, weight: Any, dropout: float) -> dict[str, Any]:
    class Given(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.input_dim = weight.shape[1]
            self.weight = nn.Parameter(weight.clone())
            self.dropout = nn.Dropout(dropout)
            self.modes: list[bool] = []
            self.with_gradients: list[bool] = []

        def forward(self, x: Any, mask: Any = None, add_positional_encoding: bool = True) -> Any:
            self.modes.append(self.training)
            logits = self.dropout(x) @ self.weight.T
            self.with_gradients.append(logits.requires_grad)
            return logits

    model = Given().train()
    torch.manual_seed(3)
    pair = answers.eval_step(model, x, y)
    again = answers.eval_step(model, x, y)
    return {
        "loss": torch.tensor(float(pair[0])),
        "accuracy": torch.tensor(float(pair[1])),
        "again": torch.tensor(float(again[0])),
        "evaluates": bool(model.modes) and not any(model.modes),
        "without_gradients": model.weight.grad is None
        and bool(model.with_gradients)
        and not any(model.with_gradients),
        "switched_on": torch.is_grad_enabled(),
        "weight": model.weight,
        "floats": all(type(part) is float for part in pair),
    }


def _digits(seed: int, categories: int, *shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(categories, shape, generator=generator)


def _case(seed: int, steps: int, batch: int, length: int) -> dict[str, torch.Tensor]:
    """Digits 0 to 4 in, classes 0 to 6 out."""
    return {
        "x": _digits(seed, 5, steps, batch, length),
        "y": _digits(seed + 1, 7, steps, batch, length),
        "weight": numbers(seed + 2, 7, 5),
        "places": numbers(seed + 3, length, 7),
    }


CASES: dict[str, dict[str, Any]] = {
    "sgd": {**_case(10, STEPS, 3, 4), "optimizer": "sgd", "lr": 0.8},
    "adamw": {**_case(20, STEPS, 1, 6), "optimizer": "adamw", "lr": 0.05},
}
REVERSED = _digits(30, 5, LONG, 16, 6)
EVALUATED = {name: tensor for name, tensor in _case(40, 1, 4, 5).items() if name != "places"}
EVALUATED.update(x=EVALUATED["x"][0], y=EVALUATED["y"][0])


@points(1)
def check_first_loss_and_accuracy(student: Student, expected: Expected) -> None:
    """`train_step` returns the loss and the accuracy over all digits, as before the step."""
    for case, inputs in CASES.items():
        one = {name: part[:1] if name in "xy" else part for name, part in inputs.items()}
        reply = student.run(stepped, **one)
        found = {name: reply.tensor(name) for name in ("losses", "accuracies")}
        expected.match(f"first_{case}", Reply.of(found))


@points(1)
def check_returns_floats(student: Student, expected: Expected) -> None:
    """Both functions return loss and accuracy as Python floats."""
    reply = student.run(stepped, **CASES["sgd"])
    expect(reply["floats"] is True, wording.NOT_FLOATS)
    reply = student.run(evaluated, dropout=0.0, **EVALUATED)
    expect(reply["floats"] is True, wording.NOT_FLOATS)


@points(3)
def check_each_step_moves_the_weights(student: Student, expected: Expected) -> None:
    """After each step the weights are where this batch's gradient and the optimizer put them."""
    for case, inputs in CASES.items():
        reply = student.run(stepped, **inputs)
        found = {name: reply.tensor(name) for name in ("losses", "weight", "places")}
        expected.match(case, Reply.of(found), atol=1e-4)


@points(1)
def check_loss_goes_down(student: Student, expected: Expected) -> None:
    """Over many steps on reversed digits the loss goes down and the accuracy up."""
    inputs = {"weight": 0.1 * numbers(31, 5, 5), "places": torch.zeros(6, 5)}
    labels = REVERSED.flip(2)
    reply = student.run(stepped, x=REVERSED, y=labels, optimizer="adamw", lr=0.1, **inputs)
    losses = expect_floats(reply, "losses", steps=LONG)
    accuracies = expect_floats(reply, "accuracies", steps=LONG)
    expect(losses[-10:].mean() < 0.8 * losses[:10].mean(), wording.LOSS_STAYS)
    expect(accuracies[-10:].mean() > accuracies[:10].mean(), wording.LOSS_STAYS)
    for name, sent in (("x", REVERSED), ("y", labels)):
        expect(torch.equal(reply.tensor(name), sent), f"`{name}` was changed in place.")


@points(1)
def check_trains_in_training_mode(student: Student, expected: Expected) -> None:
    """Dropout acts in `train_step`, also right after an evaluation."""
    for inputs in CASES.values():
        one = {name: part[:2] if name in "xy" else part for name, part in inputs.items()}
        reply = student.run(stepped, dropout=0.5, **one)
        expect(reply["trains"] is True, wording.NOT_TRAINING)


@points(1)
def check_evaluates_rightly(student: Student, expected: Expected) -> None:
    """`eval_step` returns the right loss and accuracy."""
    reply = student.run(evaluated, dropout=0.0, **EVALUATED)
    found = {name: reply.tensor(name) for name in ("loss", "accuracy")}
    expected.match("evaluated", Reply.of(found))


@points(1)
def check_evaluates_without_dropout(student: Student, expected: Expected) -> None:
    """`eval_step` puts the model into evaluation mode: two calls give the same numbers."""
    reply = student.run(evaluated, dropout=0.5, **EVALUATED)
    expect(reply["evaluates"] is True, wording.NOT_EVALUATING)
    loss, again = expect_floats(reply, "loss"), expect_floats(reply, "again")
    expect(same(again, loss), wording.NOT_EVALUATING)


@points(1)
def check_evaluates_without_gradients(student: Student, expected: Expected) -> None:
    """`eval_step` computes no gradient, and changes no parameter."""
    reply = student.run(evaluated, dropout=0.0, **EVALUATED)
    expect(reply["without_gradients"] is True, wording.EVALUATES_GRADIENTS)
    wrong = "`eval_step` leaves gradients switched off for everything that comes after it."
    expect(reply["switched_on"] is True, wrong)
    weight = expect_shape(reply, "weight", num_classes=7, input_dim=5)
    expect(torch.equal(weight, EVALUATED["weight"]), wording.EVALUATION_CHANGES)
