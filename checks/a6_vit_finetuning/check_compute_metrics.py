"""Checks of `compute_metrics(eval_prediction)`: the share of right answers."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import Expected, Reply, Student, expect, numbers, points, probe, values

from . import wording


@probe
def measured(answers: Any, logits: Any, labels: Any) -> dict[str, Any]:
    from collections.abc import Mapping
    from numbers import Number

    from transformers import EvalPrediction

    given = EvalPrediction(predictions=logits.numpy(), label_ids=labels.numpy())
    result = answers.compute_metrics(given)
    if not isinstance(result, Mapping):
        return {"instead": "number" if isinstance(result, Number) else type(result).__name__}
    if "accuracy" not in result:
        return {}
    return {"accuracy": torch.as_tensor(result["accuracy"]).double()}


def _inputs(seed: int, rows: int, classes: int, right: int) -> dict[str, torch.Tensor]:
    """Logits of which the first `right` rows have their largest number at the label."""
    logits = numbers(seed, rows, classes)
    labels = logits.argmax(dim=-1)
    labels[right:] = (labels[right:] + 1) % classes
    return {"logits": logits, "labels": labels}


def _whole_numbers() -> dict[str, torch.Tensor]:
    """Small whole numbers, among which a largest logit may equal a label."""
    generator = torch.Generator().manual_seed(2043)
    rows = [torch.randperm(8, generator=generator)[:5] for _ in range(12)]
    labels = torch.randint(5, (12,), generator=generator)
    return {"logits": torch.stack(rows).float(), "labels": labels}


# Numbers by which wrong answers differ; as many rows as classes; more of one, more of the other.
CASES = {
    "whole_numbers": _whole_numbers(),
    "square": _inputs(1, 6, 6, 4),
    "many_rows": _inputs(2, 40, 3, 31),
    "many_classes": _inputs(3, 5, 20, 2),
    "float64": {**_inputs(4, 8, 4, 3), "logits": _inputs(4, 8, 4, 3)["logits"].double()},
}
SHARES = {
    "square": 4 / 6,
    "many_rows": 31 / 40,
    "many_classes": 2 / 5,
    "float64": 3 / 8,
    "whole_numbers": 5 / 12,
}


def _accuracy(reply: Reply) -> float:
    expect("instead" not in reply, wording.NO_DICTIONARY)
    expect("accuracy" in reply, wording.NO_ACCURACY)
    found = reply.tensor("accuracy")
    one = found.dim() == 0 and found.is_floating_point() and bool(found.isfinite())
    expect(one, wording.NO_ACCURACY)
    return float(found)


@points(1)
def check_returns_one_number(student: Student, expected: Expected) -> None:
    """The result is a dictionary whose "accuracy" is one number between 0 and 1."""
    for inputs in CASES.values():
        found = _accuracy(student.run(measured, **inputs))
        expect(0 <= found <= 1, wording.NO_ACCURACY)


@points(3)
def check_counts_the_right_answers(student: Student, expected: Expected) -> None:
    """The accuracy is the share of rows whose largest logit stands at the label."""
    for case, inputs in CASES.items():
        reply = student.run(measured, **inputs)
        share = _accuracy(reply)
        expected.match(case, reply, atol=1e-6)
        expect(abs(share - SHARES[case]) < 1e-6, wording.WRONG_ACCURACY)


@values
@points(1)
def check_all_and_nothing(student: Student, expected: Expected) -> None:
    """With all answers right it is 1, with all wrong 0, also for a single image."""
    for rows, right, share in ((7, 7, 1.0), (7, 0, 0.0), (1, 1, 1.0), (1, 0, 0.0)):
        found = _accuracy(student.run(measured, **_inputs(5, rows, 4, right)))
        expect(abs(found - share) < 1e-6, wording.WRONG_ACCURACY)
