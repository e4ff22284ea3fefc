"""Checks of `load_model(model_name, labels)`: an old body with a new head that knows its names."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_shape,
    numbers,
    points,
    shared,
)

from . import wording
from .stored import loaded

HIDDEN = 8
LABELS = {"four": "soup garlic_bread Rice cake", "two": "tea coffee", "one": "water"}
IMAGES = numbers(1, 2, 3, 12, 12)


@shared
def _loaded(student: Student, case: str) -> Reply:
    return student.run(loaded, labels=LABELS[case], images=IMAGES)


def _reply(student: Student, case: str) -> Reply:
    reply = _loaded(student, case)
    expect(reply["is_vit"] is True, wording.NO_VIT)
    return reply


@points(0.8, text="a new head for `len(labels)` classes")
def check_the_head_fits_the_labels(student: Student) -> None:
    """The model is a ViTForImageClassification with one output for each label."""
    for case, labels in LABELS.items():
        reply, classes = _reply(student, case), len(labels.split())
        expect_shape(reply, "head", classes=classes, hidden=HIDDEN)
        expect("bias" in reply, wording.NO_BIAS)
        expect_shape(reply, "bias", classes=classes)


@points(3.2, text="with the weights in `model_name`")
def check_the_body_comes_from_the_file(student: Student, expected: Expected) -> None:
    """All weights before the head are those in `model_name`."""
    for case in LABELS:
        body = Reply.of({"body": _reply(student, case).tensor("body")})
        expect(expected.accepts("body", body), wording.OTHER_BODY)


@points(0.8, text="The head's numbers are small and random")
def check_the_head_is_new(student: Student) -> None:
    """The head's weights are small random numbers, others in each model that is loaded."""
    for case, labels in LABELS.items():
        reply, classes = _reply(student, case), len(labels.split())
        head = expect_floats(reply, "head", classes=classes, hidden=HIDDEN)
        other = expect_floats(reply, "other_head", classes=classes, hidden=HIDDEN)
        bias = reply.floats("bias") if "bias" in reply else head[:0]
        expect(reply["of the file"] is False, wording.OLD_HEAD)
        small = bool(head.isfinite().all()) and float(head.std()) < 0.5
        expect(small and bool((bias.abs() < 0.5).all()), wording.LARGE_HEAD)
        expect(head.std() > 0, wording.HEAD_ALIKE)
        expect(not torch.equal(head, other), wording.SAME_HEAD)


@points(0.8, text="`model.config.id2label` is")
def check_the_configuration_names_the_classes(student: Student) -> None:
    """`id2label` names each class by its number."""
    for case, labels in LABELS.items():
        there = _parsed(_reply(student, case)["id2label"])
        wanted = [["int", str(i), name] for i, name in enumerate(labels.split())]
        expect(there == wanted, wording.OTHER_NAMES)


@points(0.8, text="`model.config.label2id` the other way round")
def check_the_configuration_knows_the_way_back(student: Student) -> None:
    """`label2id` gives the number of each name."""
    for case, labels in LABELS.items():
        back = _parsed(_reply(student, case)["label2id"])
        expect(back == {name: i for i, name in enumerate(labels.split())}, wording.OTHER_NUMBERS)


def _parsed(text: object) -> Any:
    with suppress(ValueError):
        return json.loads(text) if isinstance(text, str) else None
    return None


@points(0.8, text="Nothing is frozen: fine-tuning will train the body too")
def check_everything_will_be_trained(student: Student) -> None:
    """No parameter is frozen."""
    frozen = _reply(student, "four")["frozen"]
    expect(type(frozen) is int and frozen == 0, wording.FROZEN)


@points(0.8, text="It returns a `ViTForImageClassification`")
def check_it_answers_with_logits(student: Student) -> None:
    """It answers images with one finite logit for each label, the same in both modes, and leaves
    the list of labels."""
    for case, labels in LABELS.items():
        reply = _reply(student, case)
        logits = reply.tensor("logits")
        right = logits.shape == (2, len(labels.split())) and bool(logits.isfinite().all())
        expect(right, wording.NOT_IN_USE)
        expect(reply["steady"] is True, wording.DROPS)
        expect(reply["kept"] is True, wording.LABELS_CHANGED)
