"""The solutions and expected tensors of a2's encoder against what is known without them.

The numbers printed in the assignment's text, torch's own modules, and sines by Python.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch
from a2_cases import asked, close, given_to, named, results
from conftest import ROOT
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from autograder.checking import Domain
from autograder.checking.cases import Case
from autograder.course.assignments import Course
from autograder.course.cells import is_solution
from checks.a2_encoder_explainability import check_positional_encoding, check_scaled_dot_product

A2 = "a2_encoder_explainability"
IMPORTS = (
    "import math\nimport torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"
    "from torch.utils import data\n"
)
# A printed number has four digits after the point.
PRINTED = 6e-5


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
