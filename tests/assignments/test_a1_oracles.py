"""The expected tensors of a1 against what is known without the instructor's solution.

torch's own attention, numpy in float64, and central differences for the gradients. The numbers that
the text prints are in the visible checks, which the notebook runs itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn.functional import linear, scaled_dot_product_attention

from autograder.checking import Domain
from autograder.checking.cases import Case
from checks.a1_attention_blocks import (
    check_attention,
    check_cross_attention,
    check_masked_attention,
    check_multi_headed_attention,
    check_positional_encoder,
    check_self_attention,
)

EXPECTED = Path(check_attention.__file__).parent / "expected"
Tensors = dict[str, torch.Tensor]
Oracle = Callable[[Domain, Case, Tensors, Tensors], Tensors]


def attended(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, causal: bool = False) -> Tensors:
    weights = scaled_dot_product_attention(q, k, torch.eye(k.shape[1]).to(v), is_causal=causal)
    return {
        "output": scaled_dot_product_attention(q, k, v, is_causal=causal),
        "att_values": weights,
    }


def attention(domain: Domain, case: Case, given: Tensors, roles: Tensors) -> Tensors:
    return attended(given["q"], given["k"], given["v"])


def projected(domain: Domain, case: Case, given: Tensors, roles: Tensors) -> Tensors:
    x, y = given["x"], given.get("y", given["x"])
    q, k, v = (
        linear(source, roles[f"{name}.weight"], roles[f"{name}.bias"])
        for name, source in (("query", x), ("key", y), ("value", y))
    )
    return attended(q, k, v, causal=domain.answer == "MaskedSelfAttention")


def mixed(domain: Domain, case: Case, given: Tensors, roles: Tensors) -> Tensors:
    width = case.sizes["input_dim"]
    outputs = []
    more = {1: case.sizes["wider"], 2: case.sizes["narrower"]}
    for number in range(case.sizes["heads"]):
        size = case.sizes["head"] + more.get(number, 0)
        grid = torch.arange(size * width, dtype=torch.float64)
        outputs.append(torch.tanh(given["x"] @ torch.sin(number + 2 * grid).reshape(width, size)))
    (weight,) = (role for name, role in roles.items() if name.endswith("weight"))
    (bias,) = (role for name, role in roles.items() if name.endswith("bias"))
    return {"output": linear(torch.cat(outputs, dim=-1), weight, bias)}


def encoded(domain: Domain, case: Case, given: Tensors, roles: Tensors) -> Tensors:
    """Sines and cosines in float64, entry by entry from the formula."""
    _, length, d_model = given["x"].shape
    table = np.empty((length, d_model))
    for pos in range(length):
        for i in range(d_model // 2):
            angle = pos / math.pow(10000.0, 2 * i / d_model)
            table[pos, 2 * i], table[pos, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return {"output": given["x"] * math.sqrt(d_model) + torch.from_numpy(table)}


ORACLES: list[tuple[ModuleType, Oracle]] = [
    (check_attention, attention),
    (check_self_attention, projected),
    (check_cross_attention, projected),
    (check_masked_attention, projected),
    (check_multi_headed_attention, mixed),
    (check_positional_encoder, encoded),
]


def stored(module: ModuleType) -> Tensors:
    return load_file(EXPECTED / f"{module.__name__.rpartition('check_')[2]}.safetensors")


def roles_of(domain: Domain, case: Case, expected: Tensors) -> Tensors:
    start = f"{case.source}.parameter."
    shapes = {k.removeprefix(start)[4:]: t.tolist() for k, t in expected.items() if start in k}
    return {name: domain.made.role(case, name, shape).double() for name, shape in shapes.items()}


def given_to(domain: Domain, case: Case) -> Tensors:
    tensors = domain.made.tensors(case)
    return {name: tensors[f"{case.source}/{name}"].double() for name in domain.inputs}


@pytest.mark.parametrize(("module", "oracle"), ORACLES, ids=lambda one: one.__name__)
def test_every_expected_result_is_what_the_oracle_says(module: ModuleType, oracle: Oracle) -> None:
    domain, expected = module.domain, stored(module)
    sources = {case.source: case for case in domain.cases() if not case.of}
    assert len(sources) >= 9
    for case in sources.values():
        roles = roles_of(domain, case, expected)
        wanted = oracle(domain, case, given_to(domain, case), roles)
        for name in domain.returns:
            found = expected[f"{case.source}.{name}"].double()
            assert torch.allclose(found, wanted[name], rtol=1e-4, atol=2e-4), (case.id, name)


@pytest.mark.parametrize(("module", "oracle"), ORACLES, ids=lambda one: one.__name__)
def test_every_expected_gradient_is_what_the_oracle_says(
    module: ModuleType, oracle: Oracle
) -> None:
    domain, expected = module.domain, stored(module)
    for case in domain.cases():
        if not case.gradients:
            continue
        given, roles = given_to(domain, case), roles_of(domain, case, expected)
        for tensor in (*given.values(), *roles.values()):
            tensor.requires_grad_()
        found = oracle(domain, case, given, roles)
        directions = domain.made.tensors(case)
        total = sum(
            (found[name] * directions[f"{case.source}/direction/{name}"]).sum()
            for name in domain.returns
        )
        torch.autograd.backward(total)
        leaves = {**given, **{str(n): role for n, role in enumerate(roles.values())}}
        for name, leaf in leaves.items():
            key = f"{case.source}.gradient.{name}"
            assert torch.allclose(expected[key].double(), leaf.grad, rtol=1e-3, atol=1e-4), (
                case.id,
                name,
            )


def test_the_expected_weights_of_torchs_own_module_are_those_of_the_solution() -> None:
    """One head of nn.MultiheadAttention, filled with the roles of the first case."""
    domain, expected = check_self_attention.domain, stored(check_self_attention)
    case = domain.cases()[0]
    roles, x = roles_of(domain, case, expected), given_to(domain, case)["x"]
    width, key_dim = x.shape[-1], roles["query.weight"].shape[0]
    size = max(width, key_dim, roles["value.weight"].shape[0]) + 1
    torchs = nn.MultiheadAttention(size, 1, kdim=width, vdim=width, batch_first=True).double()

    def padded(tensor: torch.Tensor, *shape: int) -> torch.Tensor:
        target = torch.zeros(*shape, dtype=torch.float64)
        target[tuple(slice(n) for n in tensor.shape)] = tensor
        return target

    scale = math.sqrt(size / key_dim)  # torch's follows from the padded size
    with torch.no_grad():
        torchs.q_proj_weight.copy_(padded(scale * roles["query.weight"], size, size))
        torchs.k_proj_weight.copy_(padded(roles["key.weight"], size, width))
        torchs.v_proj_weight.copy_(padded(roles["value.weight"], size, width))
        biases = (scale * roles["query.bias"], roles["key.bias"], roles["value.bias"])
        torchs.in_proj_bias.copy_(torch.cat([padded(bias, size) for bias in biases]))
        torchs.out_proj.weight.copy_(torch.eye(size))
        torchs.out_proj.bias.zero_()
        output, _ = torchs(padded(x, *x.shape[:2], size), x, x)
    found = expected["example.output"].double()
    assert torch.allclose(output[..., : found.shape[-1]], found, atol=1e-5)
