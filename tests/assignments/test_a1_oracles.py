"""The expected tensors of a1 against what is known without the instructor's solution.

The numbers printed in the assignment's text, torch's own attention, and numpy in float64.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from checks.a1_attention_blocks import (
    check_attention,
    check_cross_attention,
    check_masked_attention,
    check_self_attention,
)
from checks.a1_attention_blocks import check_multi_headed_attention as check_heads
from checks.a1_attention_blocks.projections import numbers

EXPECTED = Path(check_attention.__file__).parent / "expected"
# A printed number has four digits after the point.
PRINTED = 6e-5

Tensors = Mapping[str, torch.Tensor]


def expected(slug: str) -> dict[str, torch.Tensor]:
    return load_file(EXPECTED / f"{slug}.safetensors")


def close(found: torch.Tensor, wanted: torch.Tensor, atol: float = 1e-5) -> bool:
    return found.shape == wanted.shape and torch.allclose(
        found.double(), wanted.double(), rtol=1e-4, atol=atol
    )


def printed(found: torch.Tensor, *wanted: float, atol: float = PRINTED) -> bool:
    return close(found, torch.tensor(wanted), atol)


def encoding(length: int, d_model: int) -> torch.Tensor:
    """Sines and cosines in float64, entry by entry from the formula."""
    table = np.empty((length, d_model))
    for pos in range(length):
        for i in range(d_model // 2):
            angle = pos / math.pow(10000.0, 2 * i / d_model)
            table[pos, 2 * i], table[pos, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return torch.from_numpy(table)


def projected(inputs: Tensors) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Queries, keys and values that the reference weights make, in float64."""
    x, y = inputs["x"], inputs.get("y", inputs["x"])
    q, k, v = (
        nn.functional.linear(
            source.double(), inputs[name].double(), inputs[f"{name}_bias"].double()
        )
        for name, source in (("query", x), ("key", y), ("value", y))
    )
    return q, k, v


def padded(tensor: torch.Tensor, *shape: int) -> torch.Tensor:
    """The tensor in float64 with zeros after the end of its last axes."""
    target = torch.zeros(*tensor.shape[: -len(shape)], *shape, dtype=torch.float64)
    target[tuple(slice(size) for size in tensor.shape)] = tensor.double()
    return target


def torchs_module(heads: Sequence[Tensors], x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """What nn.MultiheadAttention returns with the weights of `heads`: their outputs side by side.

    Its heads have queries, keys and values of one size, so all are filled up with zeros; the
    queries make up for the scale, which follows from the size.
    """
    (key_dim, _), (output_dim, _) = heads[0]["key"].shape, heads[0]["value"].shape
    size = max(key_dim, output_dim, x.shape[-1]) + 1
    whole, width = size * len(heads), y.shape[-1]
    module = nn.MultiheadAttention(
        whole, len(heads), kdim=width, vdim=width, batch_first=True, dtype=torch.float64
    )
    scale = math.sqrt(size / key_dim)
    query = [padded(scale * head["query"], size, whole) for head in heads]
    key = [padded(head["key"], size, width) for head in heads]
    value = [padded(head["value"], size, width) for head in heads]
    biases = [padded(scale * head["query_bias"], size) for head in heads]
    biases += [padded(head["key_bias"], size) for head in heads]
    biases += [padded(head["value_bias"], size) for head in heads]
    with torch.no_grad():
        module.q_proj_weight.copy_(torch.cat(query))
        module.k_proj_weight.copy_(torch.cat(key))
        module.v_proj_weight.copy_(torch.cat(value))
        module.in_proj_bias.copy_(torch.cat(biases))
        module.out_proj.weight.copy_(torch.eye(whole))
        module.out_proj.bias.zero_()
        output, _ = module(padded(x, whole), y.double(), y.double(), need_weights=False)
    return torch.cat([part[..., :output_dim] for part in output.split(size, dim=-1)], dim=-1)


def drawn(seed: int, *sizes: tuple[int, int]) -> list[nn.Linear]:
    """Linear layers (in, out) drawn in this order under a seed, which goes on after them."""
    torch.manual_seed(seed)
    return [nn.Linear(*size) for size in sizes]


def as_head(query: nn.Linear, key: nn.Linear, value: nn.Linear) -> dict[str, torch.Tensor]:
    layers = {"query": query, "key": key, "value": value}
    weights = {name: layer.weight.detach() for name, layer in layers.items()}
    return weights | {f"{name}_bias": layer.bias.detach() for name, layer in layers.items()}


def test_the_encoder_answers_the_printed_numbers() -> None:
    output = expected("positional_encoder")["example.output"]
    assert printed(output[0, 0, :5], 0.2263, 1.4525, 0.6788, 1.9051, 1.1314)
    assert printed(output[0, 1, :5], 1.0677, 0.9929, 1.5007, 1.4748, 1.9333)
    last = (115.9473, 115.1738, 116.3998, 115.6263, 116.8524)
    assert printed(output[0, 2, -5:], *last, atol=1e-4)


def test_the_encoder_answers_numpy_in_float64() -> None:
    stored = expected("positional_encoder")
    row = torch.arange(1, 513).double() * 0.01
    wanted = row.repeat(1, 4, 1) * math.sqrt(512) + encoding(4, 512)
    assert close(stored["example.output"], wanted, 1e-4)
    x = numbers(1, 3, 7, 10).double()
    assert close(stored["short_batch.output"], x * math.sqrt(10) + encoding(7, 10))


@pytest.mark.parametrize("size", [(80, 64), (60, 10)])
def test_the_columns_are_sines_and_cosines_of_one_angle(size: tuple[int, int]) -> None:
    stored, table = expected("positional_encoder"), encoding(*size)[None]
    assert close(stored[f"columns_0_of_{size[1]}.encoding"], table[..., 0::2])
    assert close(stored[f"columns_1_of_{size[1]}.encoding"], table[..., 1::2])


def test_the_plotted_columns_are_those_counted_from_one() -> None:
    stored = expected("positional_encoder_plot")["columns.pe_vals"]
    assert close(stored, encoding(32, 64)[:, [0, 1, 6, 15]])


def test_attention_answers_the_printed_numbers() -> None:
    output = expected("attention")["example.output"]
    first = (-1.3709, -0.6827, 0.3234, 0.8677, -0.1474, -0.9653, -0.7344, 0.8126)
    assert printed(output[0, 0, :8], *first)
    assert printed(output[-1, -1, -5:], 0.0653, -0.2076, 0.6225, -0.4946, -0.2935)


def test_attention_was_asked_what_the_text_draws() -> None:
    torch.manual_seed(42)
    for found in check_attention.worked_example().values():
        assert torch.equal(found, torch.randn(found.shape))


@pytest.mark.parametrize("case", ["example", *check_attention.CASES])
def test_attention_answers_as_torchs_fused_function(case: str) -> None:
    inputs = {"example": check_attention.worked_example(), **check_attention.CASES}[case]
    q, k, v = (inputs[name].double() for name in "qkv")
    stored = expected("attention")
    assert close(stored[f"{case}.output"], scaled_dot_product_attention(q, k, v))
    keys = torch.eye(k.shape[1], dtype=torch.float64).expand(len(k), -1, -1)
    assert close(stored[f"{case}.att_values"], scaled_dot_product_attention(q, k, keys))


def test_the_gradients_of_attention_are_those_of_torchs_fused_function() -> None:
    given = {
        name: tensor.double().requires_grad_()
        for name, tensor in check_attention.CASES["unequal"].items()
    }
    keys = torch.eye(7, dtype=torch.float64).expand(2, -1, -1)
    output = scaled_dot_product_attention(given["q"], given["k"], given["v"])
    weights = scaled_dot_product_attention(given["q"], given["k"], keys)
    total = (output * numbers(40, 2, 4, 5)).sum() + (weights * numbers(41, 2, 4, 7)).sum()
    total.backward()
    stored = expected("attention")
    for name, tensor in given.items():
        assert tensor.grad is not None
        assert close(stored[f"gradients.gradient of {name}"], tensor.grad)


def test_self_attention_answers_the_printed_numbers() -> None:
    output = expected("self_attention")["example.output"]
    first = (8.6836e-02, -4.1725e-02, -2.5798e-01, -9.6712e-02, 3.00e-05)
    assert printed(output[0, 0, :5], *first, atol=1e-5)
    last = (0.1849, 0.3706, 0.1488, 0.0898, 0.2528, 0.4277, 0.4572, 0.1172, 0.0893, -0.2081)
    assert printed(output[-1, -1, :10], *last)


def test_cross_attention_answers_the_printed_numbers() -> None:
    output = expected("cross_attention")["example.output"]
    first = (-0.1544, 0.0847, 0.2329, 0.0549, -0.1424, 0.0711, 0.0105, -0.2139, -0.0208, -0.1942)
    assert printed(output[0, 0, :10], *first)


def test_several_heads_answer_the_printed_numbers() -> None:
    output = expected("multi_headed_attention")["example.output"]
    first = (0.2290, -0.0350, 0.0918, -0.1069, -0.1679, -0.1939, -0.2167, 0.1841, 0.0546, 0.1668)
    assert printed(output[0, 0, :10], *first)


@pytest.mark.parametrize("case", check_self_attention.WEIGHTS)
def test_self_attention_answers_as_torchs_fused_function(case: str) -> None:
    wanted = scaled_dot_product_attention(*projected(check_self_attention.WEIGHTS[case]))
    assert close(expected("self_attention")[f"{case}.output"], wanted)


@pytest.mark.parametrize("case", check_cross_attention.WEIGHTS)
def test_cross_attention_answers_as_torchs_fused_function(case: str) -> None:
    wanted = scaled_dot_product_attention(*projected(check_cross_attention.WEIGHTS[case]))
    assert close(expected("cross_attention")[f"{case}.output"], wanted)


@pytest.mark.parametrize("case", check_masked_attention.WEIGHTS)
def test_masked_attention_answers_as_torchs_causal_function(case: str) -> None:
    parts = projected(check_masked_attention.WEIGHTS[case])
    wanted = scaled_dot_product_attention(*parts, is_causal=True)
    assert close(expected("masked_attention")[f"{case}.output"], wanted)


@pytest.mark.parametrize("case", check_self_attention.WEIGHTS)
def test_self_attention_answers_as_torchs_module_with_one_head(case: str) -> None:
    inputs = check_self_attention.WEIGHTS[case]
    wanted = torchs_module([inputs], inputs["x"], inputs["x"])
    assert close(expected("self_attention")[f"{case}.output"], wanted)


@pytest.mark.parametrize("case", check_cross_attention.WEIGHTS)
def test_cross_attention_answers_as_torchs_module_with_one_head(case: str) -> None:
    inputs = check_cross_attention.WEIGHTS[case]
    wanted = torchs_module([inputs], inputs["x"], inputs["y"])
    assert close(expected("cross_attention")[f"{case}.output"], wanted)


def test_seeded_self_attention_answers_as_torchs_module_with_one_head() -> None:
    layers = drawn(48, (512, 64), (512, 64), (512, 512))
    x = torch.randn(4, 10, 512)
    assert printed(x[0, 0, :5], -0.1988, -0.3060, 0.6383, 0.5713, 1.2769)
    wanted = torchs_module([as_head(*layers)], x, x)
    assert close(expected("self_attention")["example.output"], wanted)


def test_seeded_cross_attention_answers_as_torchs_module_with_one_head() -> None:
    layers = drawn(14, (512, 64), (256, 64), (256, 128))
    x, y = torch.randn(3, 10, 512), torch.randn(3, 10, 256)
    wanted = torchs_module([as_head(*layers)], x, y)
    assert close(expected("cross_attention")["example.output"], wanted)


def test_seeded_heads_answer_as_torchs_module_with_eight_heads() -> None:
    layers = drawn(10, *[(256, 128), (256, 128), (256, 8)] * 8, (64, 32))
    x = torch.randn(3, 10, 256)
    heads = [as_head(*layers[start : start + 3]) for start in range(0, 24, 3)]
    together = torchs_module(heads, x, x)
    last = layers[-1].double()
    wanted = nn.functional.linear(together, last.weight, last.bias)
    assert close(expected("multi_headed_attention")["example.output"], wanted.detach())


@pytest.mark.parametrize("case", [*check_heads.EQUAL, *check_heads.UNEQUAL])
def test_given_heads_are_put_side_by_side_and_mixed(case: str) -> None:
    inputs = {**check_heads.EQUAL, **check_heads.UNEQUAL}[case]
    found = {name: tensor.double().numpy() for name, tensor in inputs.items()}
    heads = [np.tanh(found["x"] @ found[name].T) for name in sorted(found) if "head" in name]
    wanted = np.concatenate(heads, axis=-1) @ found["mix"].T + found["mix_bias"]
    stored = expected("multi_headed_attention")[f"{case}.output"]
    assert close(stored, torch.from_numpy(wanted))
