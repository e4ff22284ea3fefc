"""The expected tensors of a2's training step against gradients and optimisers by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch.nn.functional import one_hot

from checks.a2_encoder_explainability import check_training_step
from checks.a2_encoder_explainability.check_training_step import CASES, EVALUATED

CHECKS = Path(check_training_step.__file__).parent
EXPECTED = CHECKS / "expected" / "training_step.safetensors"

Array = np.ndarray[Any, np.dtype[np.float64]]
Step = Callable[[Array, int, int], Array]


def softmaxed(scores: Array) -> Array:
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def descended(case: Mapping[str, Any], step: Step) -> dict[str, Any]:
    """Losses and final weights when each gradient, worked out by hand, is turned into a step."""
    parts = [case[name].double().numpy().copy() for name in ("weight", "places")]
    losses = []
    for number, (x, y) in enumerate(zip(case["x"], case["y"], strict=True)):
        hot = one_hot(x, 5).double().numpy()
        seen = 0.5 * hot + hot[:, ::-1]
        shares = softmaxed(seen @ parts[0].T + parts[1])
        wanted = one_hot(y, 7).double().numpy()
        losses.append(-np.log((shares * wanted).sum(axis=-1)).mean())
        error = (shares - wanted) / y.numel()
        gradients = [np.einsum("blc,bli->ci", error, seen), error.sum(axis=0)]
        for place, gradient in enumerate(gradients):
            if case["optimizer"] == "adamw":
                parts[place] *= 1 - case["lr"] * 0.1
            parts[place] -= case["lr"] * step(gradient, place, number)
    return {"losses": np.array(losses), "weight": parts[0], "places": parts[1]}


def momentum() -> Step:
    kept: dict[int, Array] = {}

    def step(gradient: Array, place: int, number: int) -> Array:
        kept[place] = gradient + 0.5 * kept.get(place, 0.0)
        return kept[place]

    return step


def adam() -> Step:
    first: dict[int, Array] = {}
    second: dict[int, Array] = {}

    def step(gradient: Array, place: int, number: int) -> Array:
        first[place] = 0.9 * first.get(place, 0.0) + 0.1 * gradient
        second[place] = 0.999 * second.get(place, 0.0) + 0.001 * gradient**2
        mean = first[place] / (1 - 0.9 ** (number + 1))
        return mean / (np.sqrt(second[place] / (1 - 0.999 ** (number + 1))) + 1e-8)

    return step


@pytest.mark.parametrize(("case", "rule"), [("sgd", momentum), ("adamw", adam)])
def test_training_goes_where_gradients_by_hand_lead(case: str, rule: Callable[[], Step]) -> None:
    stored = load_file(EXPECTED)
    wanted = descended(CASES[case], rule())
    for name, array in wanted.items():
        found = stored[f"{case}.{name}"].double()
        assert torch.allclose(found, torch.from_numpy(array), rtol=1e-4, atol=1e-5)


def test_an_evaluation_counts_what_numpy_counts() -> None:
    x, y = EVALUATED["x"], EVALUATED["y"]
    shares = softmaxed(one_hot(x, 5).double().numpy() @ EVALUATED["weight"].double().numpy().T)
    right = np.take_along_axis(shares, y.numpy()[..., None], axis=-1)
    stored = load_file(EXPECTED)
    assert stored["evaluated.loss"].item() == pytest.approx(-np.log(right).mean(), abs=1e-5)
    accuracy = (shares.argmax(axis=-1) == y.numpy()).mean()
    assert stored["evaluated.accuracy"].item() == pytest.approx(accuracy, abs=1e-6)
