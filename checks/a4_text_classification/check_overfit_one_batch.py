"""Checks of `overfit_one_batch(model, batch, optimizer, steps)`, on a model that the box makes."""

from __future__ import annotations

from dataclasses import replace

from autograder.checking import Battery, Domain, Integers, Student, expect, points

from . import wording
from .overfitting import OVERFITTED, watched

FIRST_LOSS = 1.486214  # of the model that is `watched`
SIZES = {"B": 3, "L": 4, "tokens": 9, "size": 6, "classes": 5}
domain = Domain(
    answer="overfit_one_batch",
    sizes={**SIZES, "steps": 7, "adaptive": 1, "stale": 0, "scale": 1},
    smallest={"tokens": 2, "classes": 2, "adaptive": 1, "stale": 0, "scale": 1},
    largest={"adaptive": 2, "stale": 0, "tokens": 30, "classes": 30, "scale": 20},
    more={
        "with AdamW": {"adaptive": 2, "steps": 4, "B": 2},
        "for a large batch": {"B": 40},
        "where gradients are large": {"scale": 20},
    },
    make=OVERFITTED,
    inputs={
        **{"input_ids": Integers("B L", 0, "tokens"), "attention_mask": Integers("B L", 0, 2)},
        "labels": Integers("B", 0, "classes"),
    },
    returns={
        "losses": "steps",
        "words after the steps": "tokens size",
        "last layer after the steps": "classes size",
    },
    sets_mode="training",
    random=True,
    differentiable=False,
    extremes=False,
    doubles=False,
    atol=1e-4,
)
battery = Battery(domain, **{"values": 1.25, "sizes": 1})
stale = Battery(
    replace(
        domain,
        part="stale",
        about="where gradients lay at the parameters, which are in two groups, before",
        sizes={**domain.sizes, "stale": 1},
        smallest={**domain.smallest, "stale": 1},
        largest={**domain.largest, "stale": 1},
        only=("example",),
    ),
    values=0.75,
)


@points(0.75, text="The model runs in **evaluation mode**, so that nothing is dropped")
def check_nothing_is_dropped(student: Student) -> None:
    """The model runs in evaluation mode, also when it comes in training mode."""
    for training in (True, False):
        reply = student.run(watched, training=training)
        expect(reply["seen"] is True and reply["in_training"] is False, wording.IN_TRAINING)


@points(0.5, text="in the end it is back in the mode that it came in")
def check_leaves_the_mode(student: Student) -> None:
    """The model is called and keeps its mode; batch, optimizer, chance and switches stay."""
    for training in (True, False):
        reply = student.run(watched, training=training)
        expect(reply["left_training"] is training, wording.OTHER_MODE)
        expect(reply["called"] is True, wording.NOT_CALLED)
        expect(reply["kept"] is True, wording.CHANGED_BATCH)
        expect(reply["paced"] is True, wording.OTHER_RATE)
        expect(reply["drew"] is False, wording.DRAWS)
        expect(reply["switches"] == "", wording.LEFT_SWITCHES)


@points(0.75, text="It returns the losses as a list of `steps` Python floats")
def check_returns_a_list_of_floats(student: Student) -> None:
    """The losses are a list of as many Python floats as steps are made."""
    reply = student.run(watched, training=False)
    expect(reply["floats"] is True, wording.NO_LIST_OF_FLOATS)
    expect(reply["as many as steps"] is True, wording.STOPS_EARLY)
    expect(reply["raised for no step"] is False, wording.NOTHING_RAISES)
    expect(reply["none for no step"] is True, wording.STEP_FOR_NOTHING)
    first = reply.floats("first")
    expect(reply["a step for each loss"] is True, wording.OTHER_NUMBER_OF_STEPS)
    expect(first.shape == (1,) and abs(first.item() - FIRST_LOSS) < 4e-6, wording.ROUNDED)
