"""Checks of `MultiHeadedAttention(attn_modules, final_output_dim)`.

Most of them use heads that the probe makes, so that a wrong `SelfAttention` costs its own
question only.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_count,
    expect_floats,
    expect_kept,
    expect_shape,
    expect_unchanged,
    numbers,
    points,
    probe,
    same,
    sizes_of,
)
from autograder.results import sentences

from . import wording


@probe
def mixed(answers: Any, x: Any, mix: Any, mix_bias: Any, **weights: Any) -> dict[str, Any]:
    class Head(nn.Module):
        def __init__(self, weight: Any) -> None:
            super().__init__()
            self.output_dim = len(weight)
            self.matrix = nn.Parameter(weight)

        def forward(self, x: Any) -> Any:
            return torch.tanh(x @ self.matrix.T)

    torch.manual_seed(1)
    heads = [Head(weights[name]) for name in sorted(weights)]
    module = answers.MultiHeadedAttention(heads, len(mix_bias))
    plain = module(x)  # a lazy layer takes its shape only now
    inside = [part for part in module.modules() if isinstance(part, Head)]
    layers = [
        part
        for part in module.modules()
        if isinstance(getattr(part, "weight", None), torch.Tensor) and part.weight.dim() == 2
    ]
    found = {"output": plain, "x": x, "heads": len(inside)}
    if len(layers) != 1 or layers[0].weight.shape != mix.shape or layers[0].bias is None:
        return {**found, "fits": False}
    with torch.no_grad():
        layers[0].weight.copy_(mix)
        layers[0].bias.copy_(mix_bias)
    output = module(x)
    if output.requires_grad:
        output.square().sum().backward()
    largest = [-1.0 if p.grad is None else p.grad.abs().max().item() for p in module.parameters()]
    return {**found, "fits": True, "mixed": output, "gradients": torch.tensor(largest)}


@probe
def own_heads(
    answers: Any, seed: int, x_shape: Any, key_dim: int, head_sizes: Any, final_output_dim: int
) -> dict[str, Any]:
    torch.manual_seed(seed)
    input_dim = int(x_shape[-1])
    heads = [answers.SelfAttention(input_dim, key_dim, size) for size in head_sizes.tolist()]
    inside = {id(part) for head in heads for part in head.modules()}
    module = answers.MultiHeadedAttention(heads, final_output_dim)
    x = torch.randn(*x_shape.tolist())
    output = module(x)
    last = [
        part
        for part in module.modules()
        if id(part) not in inside and isinstance(getattr(part, "weight", None), torch.Tensor)
    ]
    parts = {f"head_{i}": head(x) for i, head in enumerate(heads)}
    if len(last) != 1 or getattr(last[0], "bias", None) is None:
        return {"output": output, "fits": False, **parts}
    layer = {"weight": last[0].weight, "bias": last[0].bias}
    return {"output": output, "fits": True, **layer, **parts}


@probe
def in_double(answers: Any, x: Any) -> dict[str, Any]:
    class Head(nn.Linear):
        output_dim = 3

    torch.manual_seed(1)
    heads = [Head(x.shape[-1], 3), Head(x.shape[-1], 3)]
    module = answers.MultiHeadedAttention(heads, 4).double()
    output = module(x.double())
    try:  # the meta device stands in for any device that is not the CPU
        device = module.to("meta")(x.double().to("meta")).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"output": output, "device": device}


def _given(seed: int, n: int, length: int, *sizes: int, final: int) -> dict[str, torch.Tensor]:
    """x with 6 numbers at each position, one matrix for each head, and the layer after them."""
    heads = {f"head_{i}": numbers(seed + i, size, 6, scale=0.4) for i, size in enumerate(sizes)}
    return {
        "x": numbers(seed + 20, n, length, 6),
        "mix": numbers(seed + 21, final, sum(sizes)),
        "mix_bias": numbers(seed + 22, final),
        **heads,
    }


EQUAL = {
    "three_heads": _given(100, 2, 5, 4, 4, 4, final=7),
    "one_head": _given(200, 1, 3, 5, final=2),
}
UNEQUAL = {
    "unequal_heads": _given(300, 2, 4, 3, 5, 1, final=6),
    "one_position": _given(400, 1, 1, 2, 7, final=1),
}
HEAD_SIZES = sizes_of(*[8] * 8)


def _match(student: Student, expected: Expected, cases: dict[str, dict[str, torch.Tensor]]) -> None:
    for case, inputs in cases.items():
        reply = student.run(mixed, **inputs)
        expect(reply["fits"] is True, wording.NO_SINGLE_LAYER)
        expected.match(case, Reply.of({"output": reply.tensor("mixed")}))


@points(2)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The output has the shape (N, L, final_output_dim)."""
    for inputs in EQUAL.values():
        (n, length, _), final = inputs["x"].shape, len(inputs["mix_bias"])
        reply = student.run(mixed, **inputs)
        expect_shape(reply, "output", N=n, L=length, final_output_dim=final)


@points(3)
def check_heads_are_registered(student: Student, expected: Expected) -> None:
    """The heads are modules of the module, so that an optimizer finds their parameters."""
    for inputs, heads in ((EQUAL["three_heads"], 3), (EQUAL["one_head"], 1)):
        reply = student.run(mixed, **inputs)
        expect_count(reply, "heads", heads, wording.HEADS_NOT_LISTED)


@points(2)
def check_has_one_linear_layer(student: Student, expected: Expected) -> None:
    """One linear layer with bias goes from the sum of the heads' sizes to final_output_dim."""
    for inputs in EQUAL.values():
        expect(student.run(mixed, **inputs)["fits"] is True, wording.NO_SINGLE_LAYER)


@points(6)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The heads' outputs are put side by side in their order and mixed by the layer."""
    _match(student, expected, EQUAL)


@points(3)
def check_heads_of_unequal_size_work(student: Student, expected: Expected) -> None:
    """The heads may have different output sizes."""
    _match(student, expected, UNEQUAL)


@points(1)
def check_gradients_reach_every_parameter(student: Student, expected: Expected) -> None:
    """The gradient of the output reaches every parameter, those of the heads too."""
    reply = student.run(mixed, **EQUAL["three_heads"])
    expect(reply["fits"] is True, wording.NO_SINGLE_LAYER)
    found = reply.tensor("gradients")
    expect(found.dtype == torch.float32 and found.numel() >= 5, sentences.no_gradient())
    expect((found.isfinite() & (found > 0)).all(), sentences.no_gradient())


@points(1)
def check_keeps_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """The output has the input's dtype and device, and the input stays as it is."""
    inputs = EQUAL["three_heads"]
    expect_kept(student.run(in_double, x=inputs["x"]))
    expect_unchanged(student.run(mixed, **inputs), {"x": inputs["x"]})


@points(2)
def check_works_with_your_self_attention(student: Student, expected: Expected) -> None:
    """With heads of your own `SelfAttention` the module mixes what they return."""
    reply = student.run(
        own_heads,
        seed=10,
        x_shape=sizes_of(3, 10, 256),
        key_dim=128,
        head_sizes=HEAD_SIZES,
        final_output_dim=32,
    )
    output = expect_floats(reply, "output", N=3, L=10, final_output_dim=32)
    if expected.accepts("example", Reply.of({"output": reply.tensor("output")})):
        return
    expect(reply["fits"] is True, wording.NO_SINGLE_LAYER)
    heads = [
        expect_floats(reply, f"head_{i}", N=3, L=10, output_dim=size)
        for i, size in enumerate(HEAD_SIZES.tolist())
    ]
    weight = expect_floats(reply, "weight", final_output_dim=32, sum_of_sizes=64)
    bias = expect_floats(reply, "bias", final_output_dim=32)
    wanted = torch.cat(heads, dim=-1) @ weight.T + bias
    expect(same(output, wanted), wording.NOT_THE_MIXED_HEADS)
