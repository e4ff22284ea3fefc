"""Checks of `compute_metrics(eval_prediction)`: the share of right answers."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    CheckFailure,
    Domain,
    Integers,
    Probe,
    Student,
    expect,
    numbers,
    points,
    probe,
    values,
)

from . import wording


def accuracy(compute_metrics: Any, logits: Any, hits: Any, others: Any) -> Any:
    """Where a hit is 1 the label is the class with the largest logit."""
    from collections.abc import Mapping
    from contextlib import suppress

    from transformers import EvalPrediction

    labels = torch.where(hits.bool(), logits.argmax(dim=-1), others)
    found = compute_metrics(EvalPrediction(logits.numpy(), labels.numpy()))
    with suppress(TypeError, ValueError, RuntimeError):  # no number
        return torch.as_tensor(found["accuracy"] if isinstance(found, Mapping) else None).double()
    return None


battery = Battery(
    Domain(
        answer="compute_metrics",
        sizes={"N": 7, "C": 3},
        inputs={
            "logits": "N C",
            "hits": Integers("N", 0, 2),
            "others": Integers("N", 0, "C"),
        },
        returns={"accuracy": ""},
        dictionary=True,
        call=Probe(accuracy),
        more={
            "where there is one class": {"C": 1},
            "for two classes": {"C": 2},
            "for many images": {"N": 5000},
            "for many classes": {"C": 5000},
        },
        extremes=False,  # of equal logits any may be taken for the largest
        differentiable=False,
    ),
    **{"values": 1, "sizes": 1},
)


@probe
def measured(answers: Any, logits: Any, labels: Any) -> dict[str, Any]:
    from collections.abc import Mapping
    from contextlib import suppress
    from numbers import Number

    from transformers import EvalPrediction

    before = logits.clone(), labels.clone()
    result = answers.compute_metrics(EvalPrediction(logits.numpy(), labels.numpy()))
    if not isinstance(result, Mapping):
        return {"instead": "number" if isinstance(result, Number) else type(result).__name__}
    kept = torch.equal(logits, before[0]) and torch.equal(labels, before[1])
    found: dict[str, Any] = {"kept": kept}
    with suppress(TypeError, ValueError, RuntimeError):  # no number
        found["accuracy"] = torch.as_tensor(result.get("accuracy")).double()
    return found


def _inputs(seed: int, rows: int, classes: int, right: int) -> dict[str, torch.Tensor]:
    """Logits with their largest number at the label in the first `right` rows, else the second."""
    logits = numbers(seed, rows, classes)
    best, second = logits.topk(2).indices.unbind(-1)
    labels = torch.where(torch.arange(rows) < right, best, second)
    return {"logits": logits, "labels": labels}


def _accuracy(student: Student, inputs: dict[str, torch.Tensor]) -> float:
    reply = student.run(measured, **inputs)
    expect("instead" not in reply, wording.NO_DICTIONARY)
    expect("accuracy" in reply, wording.NO_ACCURACY)
    found = reply.floats("accuracy")
    expect(found.dim() == 0 and bool(found.isfinite()), wording.NO_ACCURACY)
    return float(found)


def _expect_share(student: Student, inputs: dict[str, torch.Tensor], share: float) -> None:
    def is_right(scale: int) -> bool:
        found = _accuracy(student, {**inputs, "logits": scale * inputs["logits"]})
        return abs(found - share) < 1e-6

    if not is_right(1):
        far = is_right(30) or is_right(10**6)  # whole numbers of few bits end between them
        raise CheckFailure(wording.CLOSE_LOGITS if far else wording.WRONG_ACCURACY)


@values
@points(1, text="the share of right answers is the accuracy")
def check_all_and_nothing(student: Student) -> None:
    """With all answers right it is 1, with all wrong 0, also for a single image."""
    for rows, right, share in ((7, 7, 1.0), (7, 0, 0.0), (1, 1, 1.0), (1, 0, 0.0)):
        for scale in (1, 1000, 10**6):
            inputs = _inputs(5, rows, 4, right)
            _expect_share(student, {**inputs, "logits": scale * inputs["logits"]}, share)


@values
@points(1, text="with one number between 0 and 1")
def check_returns_one_share(student: Student) -> None:
    """The result is a dictionary whose "accuracy" is the share of rows, one number from 0 to 1."""
    for classes, right in ((6, 4), (20, 2), (3, 5)):
        inputs = _inputs(1, 6, classes, right)
        expect(0 <= _accuracy(student, inputs) <= 1, wording.NO_ACCURACY)
        _expect_share(student, inputs, right / 6)
    # whichever of two equal logits is taken, it is the same one in both rows
    both = {"logits": torch.zeros(2, 2), "labels": torch.arange(2)}
    expect(abs(_accuracy(student, both) - 0.5) < 1e-6, wording.WRONG_ACCURACY)


@points(1, text="after a call what they were before")
def check_arrays_stay_as_they_are(student: Student) -> None:
    """The arrays of logits and labels are after a call what they were before."""
    inputs = _inputs(2, 40, 3, 31)
    _accuracy(student, inputs)
    expect(student.run(measured, **inputs)["kept"] is True, wording.ARRAYS_CHANGED)
