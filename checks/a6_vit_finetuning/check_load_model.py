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
    probe,
)

from . import wording

HIDDEN = 8
LABELS = {"four": "soup bread rice cake", "two": "tea coffee"}


@probe
def loaded(answers: Any, labels: str, images: Any) -> dict[str, Any]:
    import json
    import tempfile

    from transformers import ViTConfig, ViTForImageClassification

    config = ViTConfig(
        image_size=12,
        patch_size=6,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=3,
    )
    stored = ViTForImageClassification(config)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in stored.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    with tempfile.TemporaryDirectory() as folder:
        stored.save_pretrained(folder)
        torch.manual_seed(4)
        model = answers.load_model(folder, labels.split())
    if not isinstance(model, ViTForImageClassification):
        return {"is_vit": False}
    config = model.config
    parameters = model.vit.parameters()
    return {
        "is_vit": True,
        "head": model.classifier.weight,
        "logits": model.eval()(images).logits,
        "body": torch.cat([parameter.flatten() for parameter in parameters]),
        "id2label": json.dumps({str(key): name for key, name in config.id2label.items()}),
        "label2id": json.dumps(config.label2id),
        "frozen": sum(not parameter.requires_grad for parameter in model.parameters()),
    }


def _reply(student: Student, case: str) -> Reply:
    reply = student.run(loaded, labels=LABELS[case], images=numbers(1, 2, 3, 12, 12))
    expect(reply["is_vit"] is True, wording.NO_VIT)
    return reply


@points(2)
def check_the_head_fits_the_labels(student: Student, expected: Expected) -> None:
    """The model is a ViTForImageClassification with one output for each label."""
    for case, labels in LABELS.items():
        reply, classes = _reply(student, case), len(labels.split())
        expect_shape(reply, "head", classes=classes, hidden_size=HIDDEN)
        expect_shape(reply, "logits", N=2, classes=classes)


@points(3)
def check_the_body_comes_from_the_file(student: Student, expected: Expected) -> None:
    """All weights before the head are those in `model_name`."""
    for case in LABELS:
        expected.match("body", Reply.of({"body": _reply(student, case).tensor("body")}))


@points(1)
def check_the_head_is_new(student: Student, expected: Expected) -> None:
    """The head's weights are small random numbers, not those of the file."""
    for case, labels in LABELS.items():
        dims = {"classes": len(labels.split()), "hidden_size": HIDDEN}
        head = expect_floats(_reply(student, case), "head", **dims)
        expect(bool(head.isfinite().all()) and 0 < float(head.std()) < 0.5, wording.OLD_HEAD)


@points(3)
def check_the_configuration_names_the_classes(student: Student, expected: Expected) -> None:
    """`id2label` names each class by its number, and `label2id` is the way back."""
    for case, labels in LABELS.items():
        reply, names = _reply(student, case), labels.split()
        there = _dictionary(reply["id2label"])
        back = _dictionary(reply["label2id"])
        expect(there == {str(i): name for i, name in enumerate(names)}, wording.OTHER_NAMES)
        expect(back == {name: i for i, name in enumerate(names)}, wording.OTHER_NAMES)


def _dictionary(text: object) -> dict[str, Any]:
    with suppress(ValueError):
        found = json.loads(text) if isinstance(text, str) else None
        return found if isinstance(found, dict) else {}
    return {}


@points(1)
def check_everything_will_be_trained(student: Student, expected: Expected) -> None:
    """No parameter is frozen, and the logits are finite numbers."""
    reply = _reply(student, "four")
    frozen = reply["frozen"]
    expect(type(frozen) is int and frozen == 0, wording.FROZEN)
    expect(torch.isfinite(reply.tensor("logits")).all(), wording.NOT_IN_USE)
