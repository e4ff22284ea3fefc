"""The solutions and expected tensors of a2 against what is known without them.

The numbers printed in the assignment's text, torch's own modules, numpy in float64, sums over
single paths for the rollout, and differences of two forward passes for the gradient method.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from conftest import ROOT
from safetensors.torch import load_file
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from autograder.checking import Battery, Domain
from autograder.checking.cases import Case
from autograder.course.assignments import Course
from autograder.course.cells import is_solution
from checks.a2_encoder_explainability import (
    check_answers_when_hidden,
    check_attention_gradient,
    check_attention_rollout,
    check_gradient_times_input,
    check_positional_encoding,
    check_scaled_dot_product,
    check_standard_attention,
)

A2 = "a2_encoder_explainability"
EXPECTED = Path(check_attention_rollout.__file__).parent / "expected"
IMPORTS = (
    "import math\nimport torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"
    "from torch.utils import data\n"
)
# A printed number has four digits after the point.
PRINTED = 6e-5

Array = np.ndarray[Any, np.dtype[np.float64]]


def expected(slug: str) -> dict[str, torch.Tensor]:
    return load_file(EXPECTED / f"{slug}.safetensors")


Tensors = dict[str, torch.Tensor]
Asked = tuple[Domain, Case]


def asked(module: ModuleType, most: int = 10**9) -> list[Asked]:
    """The cases of all batteries of a question, each with its domain; none with larger sizes."""
    domains = [found.domain for found in vars(module).values() if isinstance(found, Battery)]
    return [
        (domain, case)
        for domain in domains
        for case in domain.cases()
        if not case.of and case.dtype == "float32" and max(case.sizes.values()) <= most
    ]


def named(one: Any) -> str:
    return (one.part or "all") if isinstance(one, Domain) else str(one.id)


def given_to(domain: Domain, case: Case) -> Tensors:
    tensors = domain.made.tensors(case)
    return {
        name: t.double() if (t := tensors[f"{case.source}/{name}"]).is_floating_point() else t
        for name in domain.inputs
    }


def results(slug: str, domain: Domain, case: Case) -> Tensors:
    """What is stored of a case, by the names of its results; some need only be finite."""
    stored, part = expected(slug), f"{domain.part}:" if domain.part else ""
    names = [name for name in domain.returns if name not in domain.only_finite(case)]
    return {name: stored[f"{part}{case.source}.{name}"] for name in names}


def close(found: torch.Tensor, wanted: torch.Tensor, atol: float = 1e-5) -> bool:
    return found.shape == wanted.shape and torch.allclose(
        found.double(), wanted.double(), rtol=1e-4, atol=atol
    )


def printed(found: torch.Tensor, wanted: list[Any]) -> bool:
    return close(found, torch.tensor(wanted), PRINTED)


@pytest.fixture(scope="module")
def solution() -> dict[str, Any]:
    """The names that the instructor's solution cells define."""
    names: dict[str, Any] = {}
    exec(IMPORTS, names)
    for cell in Course(ROOT).assignment(A2).solved.cells:
        if is_solution(cell):
            exec(cell.source, names)
    return names


def test_attention_answers_the_printed_numbers(solution: Mapping[str, Any]) -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(1, 3, 2), torch.randn(1, 3, 2), torch.randn(1, 3, 1)
    values, attention = solution["scaled_dot_product"](q, k, v)
    rows = [[0.5662, 0.2156, 0.2182], [0.1249, 0.4274, 0.4477], [0.0758, 0.6120, 0.3122]]
    assert printed(attention[0], rows)
    assert printed(values[0, :, 0], [-0.4815, -0.1161, 0.2741])


def attended(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: Any) -> list[torch.Tensor]:
    keys = torch.eye(k.shape[-2], dtype=torch.float64).expand(*k.shape[:-1], -1)
    mask = None if mask is None else torch.atleast_2d(mask)
    return [scaled_dot_product_attention(q, k, part, attn_mask=mask) for part in (v, keys)]


@pytest.mark.parametrize(("domain", "case"), asked(check_scaled_dot_product), ids=named)
def test_attention_answers_as_torchs_fused_function(domain: Domain, case: Case) -> None:
    given = given_to(domain, case)
    q, k, v = (given.pop(name) for name in "qkv")
    masks = [*given.values()] if domain.part in ("masked", "three") else [None, *given.values()]
    further = [1, 8] if domain.part == "masked" else [1] * len(masks)
    answers = [
        one for mask, n in zip(masks, further, strict=False) for one in attended(n * q, k, v, mask)
    ]
    wanted = dict(zip(domain.returns, answers, strict=True))
    found = results("scaled_dot_product", domain, case)
    assert found
    assert all(close(one, wanted[name]) for name, one in found.items())


def test_multihead_attention_answers_the_printed_numbers(solution: Mapping[str, Any]) -> None:
    torch.manual_seed(0)
    for size in (2, 2, 1):
        torch.randn(1, 3, size)
    module = solution["MultiheadAttention"](3, 4, 2)
    rows = [[0.3360, 0.6676, 0.6393], [0.2083, 0.5484, 0.1204], [0.3533, 0.3038, 0.9383]]
    rows += [[0.0499, 0.2048, 0.0107], [0.5019, 0.5082, 0.3027]]
    output = module(torch.tensor([rows]))
    assert printed(output[0, 0], [0.0895, 0.0139, -0.2404, -0.0016])
    assert printed(output[0, -1], [0.0893, 0.0123, -0.2416, -0.0006])


def as_torchs(ours: nn.Module, heads: int) -> dict[str, torch.Tensor]:
    """The weights of a MultiheadAttention as nn.MultiheadAttention keeps them."""
    weight, bias = ours.qkv_proj.weight.detach(), ours.qkv_proj.bias.detach()
    size = weight.shape[1]
    by_kind = weight.view(heads, 3, size // heads, size).transpose(0, 1).reshape(3 * size, size)
    return {
        "in_proj_weight": by_kind,
        "in_proj_bias": bias.view(heads, 3, size // heads).transpose(0, 1).reshape(-1),
        "out_proj.weight": ours.o_proj.weight.detach(),
        "out_proj.bias": ours.o_proj.bias.detach(),
    }


def shaken(module: nn.Module) -> nn.Module:
    """The module in float64 and evaluation mode, with no parameter left at 0 or 1."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return module.double().eval()


def test_multihead_attention_answers_as_torchs_module(solution: Mapping[str, Any]) -> None:
    torch.manual_seed(1)
    ours = shaken(solution["MultiheadAttention"](12, 12, 3))
    theirs = nn.MultiheadAttention(12, 3, batch_first=True, dtype=torch.float64)
    theirs.load_state_dict(as_torchs(ours, 3))
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    may_attend = torch.ones(5, 5, dtype=torch.bool).tril()
    found, weights = ours(x, may_attend, return_attention=True)
    wanted, maps = theirs(x, x, x, attn_mask=~may_attend, average_attn_weights=False)
    assert close(found, wanted)
    assert close(weights, maps)


def torchs_layer(ours: nn.Module, heads: int, width: int) -> nn.TransformerEncoderLayer:
    """nn.TransformerEncoderLayer with the weights of an EncoderBlock."""
    size = ours.attention.qkv_proj.in_features
    layer = nn.TransformerEncoderLayer(size, heads, width, batch_first=True, dtype=torch.float64)
    layer.self_attn.load_state_dict(as_torchs(ours.attention, heads))
    layer.linear1.load_state_dict(ours.mlp[0].state_dict())
    layer.linear2.load_state_dict(ours.mlp[3].state_dict())
    layer.norm1.load_state_dict(ours.attention_norm.state_dict())
    layer.norm2.load_state_dict(ours.mlp_norm.state_dict())
    return layer.eval()


def test_blocks_and_their_stack_answer_as_torchs_layers(solution: Mapping[str, Any]) -> None:
    torch.manual_seed(2)
    block = {"input_dim": 8, "num_heads": 2, "dim_feedforward": 11, "dropout": 0.3}
    ours = shaken(solution["TransformerEncoder"](3, **block))
    x = torch.randn(2, 6, 8, dtype=torch.float64)
    may_attend = torch.ones(6, 6, dtype=torch.bool).tril(1)
    wanted = x
    for one in ours.blocks:
        layer = torchs_layer(one, 2, 11)
        assert close(one(wanted, may_attend), layer(wanted, src_mask=~may_attend))
        wanted = layer(wanted, src_mask=~may_attend)
    assert close(ours(x, may_attend), wanted)


@pytest.mark.parametrize(("domain", "case"), asked(check_positional_encoding), ids=named)
def test_the_encoding_answers_numpy_in_float64(domain: Domain, case: Case) -> None:
    x = given_to(domain, case)["x"]
    table = np.empty(tuple(x.shape[1:]))
    for pos, column in itertools.product(*map(range, table.shape)):
        angle = pos / math.pow(10000.0, (column - column % 2) / x.shape[2])
        table[pos, column] = math.cos(angle) if column % 2 else math.sin(angle)
    found = results("positional_encoding", domain, case)["output"]
    assert close(found, x + torch.from_numpy(table), 2e-4)


def test_the_model_is_its_parts_one_after_the_other(solution: Mapping[str, Any]) -> None:
    torch.manual_seed(3)
    model = shaken(solution["TransformerPredictor"](5, 8, 3, 2, 2))
    enter, leave = model.input_net[1], model.output_net
    x = torch.randn(2, 4, 5, dtype=torch.float64)
    hidden = x @ enter.weight.T + enter.bias + solution["PositionalEncoding"](8).table[:4]
    for block in model.encoder.blocks:
        hidden = torchs_layer(block, 2, 16)(hidden)
    hidden = nn.functional.layer_norm(
        hidden @ leave[0].weight.T + leave[0].bias, (8,), leave[1].weight, leave[1].bias
    )
    wanted = hidden.relu() @ leave[4].weight.T + leave[4].bias
    assert close(model(x), wanted, 1e-4)


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
