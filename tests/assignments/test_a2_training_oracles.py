"""The expected tensors of a2's training step against gradients and optimisers by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch.nn.functional import one_hot

from autograder.checking.cases import Case
from autograder.checking.domain import Domain
from checks.a2_encoder_explainability import check_training_step
from checks.a2_encoder_explainability.check_training_step import evaluated, trained

CHECKS = Path(check_training_step.__file__).parent
EXPECTED = CHECKS / "expected" / "training_step.safetensors"

Array = np.ndarray[Any, np.dtype[np.float64]]
Step = Callable[[Array, int, int], Array]


def softmaxed(scores: Array) -> Array:
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def roles_of(domain: Domain, case: Case) -> dict[str, Array]:
    start = f"{domain.part}:" * bool(domain.part) + f"{case.source}.parameter."
    shapes = {k.removeprefix(start)[4:]: v for k, v in load_file(EXPECTED).items() if start in k}
    return {n: domain.made.role(case, n, v.tolist()).double().numpy() for n, v in shapes.items()}


def digits_of(domain: Domain, case: Case) -> tuple[torch.Tensor, torch.Tensor]:
    tensors = domain.made.tensors(case)
    return tensors[f"{case.source}/x"], tensors[f"{case.source}/y"]


def descended(case: Case, step: Step) -> dict[str, Array]:
    """Losses and final weights when each gradient, worked out by hand, is turned into a step."""
    x, y = digits_of(trained, case)
    roles, scale = roles_of(trained, case), case.sizes["scale"]
    parts = [roles["mix"].copy(), roles["out"].copy()]
    kinds, classes = case.sizes["digits"], case.sizes["classes"]
    wanted = one_hot(y, classes).double().numpy()
    losses = []
    for number in range(3):
        hot = one_hot((x + number) % kinds, kinds).double().numpy()
        inner = np.tanh(hot @ parts[0] + hot[:, ::-1])
        shares = softmaxed(scale * inner @ parts[1].T + roles["level"])
        losses.append(-np.log((shares * wanted).sum(axis=-1)).mean())
        error = scale * (shares - wanted) / y.numel()
        back = (error @ parts[1]) * (1 - inner**2)
        gradients = [np.einsum("bli,blj->ij", hot, back), np.einsum("blc,bli->ci", error, inner)]
        for place, gradient in enumerate(gradients):
            if case.sizes["adaptive"] > 1:
                parts[place] *= 1 - 0.05 * 0.1
            parts[place] -= step(gradient, place, number)
    return {
        "loss of three steps": np.array(losses),
        "first weights after them": parts[0],
        "last weights after them": parts[1],
    }


def momentum(case: Case) -> Step:
    kept: dict[int, Array] = {}

    def step(gradient: Array, place: int, number: int) -> Array:
        kept[place] = gradient + 0.5 * kept.get(place, 0.0)
        return 0.5 / case.sizes["scale"] * kept[place]

    return step


def adam(case: Case) -> Step:
    first: dict[int, Array] = {}
    second: dict[int, Array] = {}

    def step(gradient: Array, place: int, number: int) -> Array:
        first[place] = 0.9 * first.get(place, 0.0) + 0.1 * gradient
        second[place] = 0.999 * second.get(place, 0.0) + 0.001 * gradient**2
        mean = first[place] / (1 - 0.9 ** (number + 1))
        return 0.05 * mean / (np.sqrt(second[place] / (1 - 0.999 ** (number + 1))) + 1e-8)

    return step


@pytest.mark.parametrize("name", ["example", "other", "with AdamW", "ones"])
def test_training_goes_where_gradients_by_hand_lead(name: str) -> None:
    (case,) = [case for case in trained.cases() if case.id == name]
    rule = adam if case.sizes["adaptive"] > 1 else momentum
    stored = load_file(EXPECTED)
    for result, array in descended(case, rule(case)).items():
        found = stored[f"{case.source}.{result}"].double()
        assert torch.allclose(found, torch.from_numpy(array), rtol=1e-4, atol=1e-5), result


@pytest.mark.parametrize("name", ["example", "other", "long", "ones"])
def test_an_evaluation_counts_what_numpy_counts(name: str) -> None:
    (case,) = [case for case in evaluated.cases() if case.id == name]
    x, y = digits_of(evaluated, case)
    hot = one_hot(x, case.sizes["digits"]).double().numpy()
    roles, scale = roles_of(evaluated, case), case.sizes["scale"]
    scores = scale * (hot + 0.5 * hot[:, ::-1]) @ roles["out"].T + roles["level"]
    right = np.take_along_axis(softmaxed(scores), y.numpy()[..., None], axis=-1)
    stored = load_file(EXPECTED)
    assert stored[f"evaluation:{name}.loss"].item() == pytest.approx(
        -np.log(right).mean(), abs=1e-5
    )
    accuracy = (scores.argmax(axis=-1) == y.numpy()).mean()
    assert stored[f"evaluation:{name}.accuracy"].item() == pytest.approx(accuracy, abs=1e-6)
