"""Checks of `train_step` and `eval_step`, on a small model that the box makes."""

from __future__ import annotations

from dataclasses import replace

import torch

from autograder.checking import (
    Battery,
    Domain,
    Integers,
    Probe,
    Student,
    expect,
    points,
)

from . import wording
from .given import compared, evaluating, looked_at, stepping

SIZES = {"B": 3, "L": 4, "digits": 5, "classes": 7, "scale": 2}
trained = Domain(
    answer="train_step",
    sizes={**SIZES, "adaptive": 1, "stale": 0, "frozen": 0},
    smallest={"digits": 2, "adaptive": 1, "stale": 0, "frozen": 0},
    largest={"adaptive": 2, "digits": 30, "classes": 30, "stale": 0, "frozen": 1},
    more={
        "with AdamW": {"adaptive": 2, "B": 2, "L": 6},
        "for a large batch": {"B": 70},
        "where scores are large": {"scale": 300},
        "where a parameter is frozen": {"frozen": 1},
    },
    make=Probe(stepping),
    inputs={"x": Integers("B L", 0, "digits"), "y": Integers("B L", 0, "classes")},
    returns={
        "loss of three steps": "3",
        "accuracy of three steps": "3",
        "first weights after them": "digits digits",
        "last weights after them": "classes digits",
    },
    sets_mode="training",
    clears_gradients=True,  # of those that lie at parameters before a step
    random=True,
    differentiable=False,
    extremes=False,
    doubles=False,
    atol=1e-4,
)
training = Battery(trained, **{"values": 1.75, "sizes": 1.25, "care": 0.25})
stale = Battery(
    replace(
        trained,
        part="stale",
        about="where gradients of an earlier loss lie at two groups of parameters",
        sizes={**trained.sizes, "stale": 1},
        smallest={**trained.smallest, "stale": 1},
        largest={**trained.largest, "stale": 1},
        only=("example",),
    ),
    values=1,
)
evaluated = Domain(
    answer="eval_step",
    part="evaluation",
    about="`eval_step`",
    sizes=SIZES,
    smallest={"digits": 2},
    more={"where scores are large": {"scale": 300}, "for a large batch": {"B": 70}},
    make=Probe(evaluating),
    inputs=trained.inputs,
    returns={"loss": "", "accuracy": ""},
    sets_mode="evaluation",
    differentiable=False,
    extremes=False,
    doubles=False,
)
evaluation = Battery(evaluated, **{"values": 0.75, "sizes": 0.25, "care": 1})


DIGITS = {"x": torch.tensor([[0, 1, 4], [2, 3, 1]]), "y": torch.tensor([[1, 2, 0], [4, 4, 3]])}


@points(1, text="Loss and accuracy are Python floats")
def check_returns_floats(student: Student) -> None:
    """Both functions return loss and accuracy as Python floats, with all their digits."""
    expect(student.run(looked_at, **DIGITS)["floats"] is True, wording.NOT_FLOATS)
    expect(student.run(compared, **DIGITS)["rounded"] is False, wording.NOT_EXACT)


@points(0.25, text="It returns `(loss, accuracy)` as they were *before* the weights moved")
def check_both_are_of_the_same_logits(student: Student) -> None:
    """Loss and accuracy of a step belong to one answer of the model, whose dropout made both."""
    expect(student.run(compared, **DIGITS)["mixed"] is False, wording.TWO_PASSES)


@points(1, text="puts the model into **training mode** and leaves it there")
def check_trains_in_training_mode(student: Student) -> None:
    """`train_step` trains in training mode, also after an evaluation, and leaves it at that."""
    reply = student.run(looked_at, **DIGITS)
    expect(reply["trains"] is True, wording.NOT_TRAINING)
    expect(reply["stays"] is True, wording.MODE_TAKEN_BACK)


@points(0.5, text="A module is called")
def check_calls_the_model(student: Student) -> None:
    """Both functions call the model, and never its `forward`."""
    expect(student.run(looked_at, **DIGITS)["called"] is True, wording.NOT_CALLED)


@points(1, text="without computing any gradient")
def check_evaluates_without_gradients(student: Student) -> None:
    """`eval_step` puts the model into evaluation mode and computes no gradient."""
    reply = student.run(looked_at, **DIGITS)
    expect(reply["evaluates"] is True, wording.NOT_EVALUATING)
    expect(reply["without_gradients"] is True, wording.EVALUATES_GRADIENTS)
