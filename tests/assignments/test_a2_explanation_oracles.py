"""The expected tensors of a2's explanations against what is known without the solutions.

Sums over single paths for the rollout, and differences of two forward passes in numpy, in
float64, for the gradient methods.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from a2_cases import Asked, asked, close, expected, given_to, named, results

from autograder.checking import Domain
from autograder.checking.cases import Case
from checks.a2_encoder_explainability import (
    check_answers_when_hidden,
    check_attention_gradient,
    check_attention_rollout,
    check_gradient_times_input,
    check_standard_attention,
)

Array = np.ndarray[Any, np.dtype[np.float64]]


def softmaxed(scores: Array) -> Array:
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def by_paths(maps: list[Array]) -> Array:
    """The rollout of one sequence as a sum over all ways from an input to an output."""
    length = maps[0].shape[-1]
    layers = [(0.5 * table.mean(axis=0) + 0.5 * np.eye(length)) for table in maps]
    layers = [table / table.sum(axis=1, keepdims=True) for table in layers]
    rollout = np.zeros((length, length))
    for way in itertools.product(range(length), repeat=len(layers) + 1):
        hops = zip(layers, way[:-1], way[1:], strict=True)
        rollout[way[-1], way[0]] += math.prod(table[to, start] for table, start, to in hops)
    return rollout


@pytest.mark.parametrize(("domain", "case"), asked(check_attention_rollout, 7), ids=named)
def test_the_rollout_is_the_sum_over_all_ways(domain: Domain, case: Case) -> None:
    maps = given_to(domain, case)["attention_maps"].numpy()
    wanted = np.stack([by_paths(list(maps[:, place])) for place in range(maps.shape[1])])
    assert close(results("attention_rollout", domain, case)["rollout"], torch.from_numpy(wanted))


@pytest.mark.parametrize(("domain", "case"), asked(check_standard_attention), ids=named)
def test_one_layers_explanation_is_the_mean_of_its_heads(domain: Domain, case: Case) -> None:
    maps = given_to(domain, case)["attention_maps"].numpy()
    layers = (1, -2) if domain.part else (0, -1)
    found = results("standard_attention", domain, case).values()
    for layer, explanation in zip(layers, found, strict=True):
        wanted = sum(maps[layer, :, head] for head in range(maps.shape[2])) / maps.shape[2]
        assert close(explanation, torch.from_numpy(wanted))


def forward(
    weights: Mapping[str, Array],
    x: Array,
    nudge: tuple[int, tuple[int, ...], float] | None = None,
    past: float = 1.0,
    steep: float = 1.0,
    hidden: Sequence[int] = (),
) -> tuple[list[Array], Array]:
    """Maps and logits of one sequence; one attention weight may be nudged on the way.

    past: how much of a layer's input goes past it. steep: how far apart logits are.
    hidden: the key that each query must not see.
    """
    maps, x = [], x + np.cos(np.arange(len(x)))[:, None]
    for layer, (query, key, value) in enumerate(
        zip(weights["query"], weights["key"], weights["value"], strict=True)
    ):
        scores = np.stack([(x @ q.T) @ (x @ k.T).T for q, k in zip(query, key, strict=True)])
        for row, column in enumerate(hidden):
            scores[:, row, column] = -np.inf
        table = softmaxed(scores)
        if nudge is not None and nudge[0] == layer:
            table[nudge[1]] += nudge[2]
        maps.append(table)
        x = np.tanh(past * x + sum(a @ (x @ v.T) for a, v in zip(table, value, strict=True)))
    apart = 0.37 * past * np.arange(len(weights["out"]))
    return maps, steep * (x @ weights["out"].T + apart)


def by_differences(weights: Mapping[str, Array], x: Array, position: int, steep: float) -> Array:
    """The relevance of one sequence, each slope from two forward passes."""
    maps, logits = forward(weights, x, steep=steep)
    best, small = int(logits[position].argmax()), 1e-6
    relevance = np.eye(len(x))
    for layer, table in enumerate(maps):
        slopes = np.zeros_like(table)
        for place in itertools.product(*map(range, table.shape)):
            up, down = (
                forward(weights, x, (layer, place, step), steep=steep)[1][position, best]
                for step in (small, -small)
            )
            slopes[place] = (up - down) / (2 * small)
        relevance = relevance + np.maximum(slopes * table, 0).mean(axis=0) @ relevance
    return relevance[position]


def explained(module: ModuleType) -> list[Asked]:
    return [(domain, case) for domain, case in asked(module, 9) if case.data == "ordinary"]


def weights_of(slug: str, domain: Domain, case: Case) -> dict[str, Array]:
    """The weights of the model that an explanation is asked about, by their last names."""
    start = f"{domain.part}:" * bool(domain.part) + f"{case.source}.parameter."
    found = {k.removeprefix(start)[4:]: v for k, v in expected(slug).items() if k.startswith(start)}
    return {
        name.rpartition(".")[2]: domain.made.role(case, name, shape.tolist()).double().numpy()
        for name, shape in found.items()
    }


@pytest.mark.parametrize(("domain", "case"), explained(check_attention_gradient), ids=named)
def test_the_gradient_method_agrees_with_differences_of_forward_passes(
    domain: Domain, case: Case
) -> None:
    weights = weights_of("attention_gradient", domain, case)
    x = given_to(domain, case)["x"].numpy()
    last = x.shape[1] - 1
    found = results("attention_gradient", domain, case).values()
    for position, relevance in zip((last // 3, last), found, strict=True):
        steep = case.sizes["steep"]
        wanted = np.stack([by_differences(weights, one, position, steep) for one in x])
        assert close(relevance, torch.from_numpy(wanted), 1e-4 * steep)


def slopes_by_input(weights: Mapping[str, Array], x: Array, position: int, steep: float) -> Array:
    """How much more of each input raises the largest logit at a position of one sequence."""
    best, small = int(forward(weights, x, steep=steep)[1][position].argmax()), 1e-6
    slopes = np.zeros_like(x)
    for place in itertools.product(*map(range, x.shape)):
        up, down = x.copy(), x.copy()
        up[place] += small
        down[place] -= small
        ends = [forward(weights, one, steep=steep)[1][position, best] for one in (up, down)]
        slopes[place] = (ends[0] - ends[1]) / (2 * small)
    return slopes


@pytest.mark.parametrize(("domain", "case"), explained(check_gradient_times_input), ids=named)
def test_gradient_times_input_agrees_with_differences_of_forward_passes(
    domain: Domain, case: Case
) -> None:
    weights = weights_of("gradient_times_input", domain, case)
    x = given_to(domain, case)["x"].numpy()
    last = x.shape[1] - 1
    found = results("gradient_times_input", domain, case).values()
    for position, relevance in zip((last // 3, last), found, strict=True):
        steep = case.sizes["steep"]
        slopes = np.stack([slopes_by_input(weights, one, position, steep) for one in x])
        assert close(relevance, torch.from_numpy((x * slopes).sum(axis=-1)), 1e-4 * steep)


@pytest.mark.parametrize(("domain", "case"), explained(check_answers_when_hidden), ids=named)
def test_what_is_answered_without_what_ranks_first_is_so_in_numpy(
    domain: Domain, case: Case
) -> None:
    weights = weights_of("answers_when_hidden", domain, case)
    given = given_to(domain, case)
    (found,) = results("answers_when_hidden", domain, case).values()
    changed = 0  # answers that are others without the mask
    for x, table, answers in zip(given["x"].numpy(), given["explanation"], found, strict=True):
        ranked = [row.argsort(descending=True).tolist() for row in table]
        first = [next(key for key in row if key != query) for query, row in enumerate(ranked)]
        logits = forward(weights, x, past=0.5, hidden=first)[1]
        assert answers.tolist() == logits.argmax(axis=1).tolist()
        changed += int((forward(weights, x, past=0.5)[1].argmax(axis=1) != answers.numpy()).sum())
    assert changed > 0 or case.id == "ones"
