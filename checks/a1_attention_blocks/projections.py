"""What the checks of the three modules with query, key and value layers share.

The modules are `SelfAttention`, `CrossAttention` and `MaskedSelfAttention`. `sizes` are the
arguments of the class as a tensor of integers; `y` is None for a module that reads one sequence.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

import torch

from autograder.checking import (
    Expected,
    Student,
    expect,
    expect_count,
    expect_floats,
    expect_gradients,
    expect_kept,
    expect_shape,
    expect_unchanged,
    expect_varied,
    first_that_holds,
    numbers,
    probe,
)
from autograder.results import sentences

from . import wording

Inputs = Mapping[str, torch.Tensor]
Example = Mapping[str, torch.Tensor | int]

WAYS = 6


@probe
def applied(answers: Any, name: str, sizes: Any, x: Any, y: Any = None) -> dict[str, Any]:
    torch.manual_seed(1)
    module = getattr(answers, name)(*sizes.tolist())
    output = module(x) if y is None else module(x, y)
    found = {"output": output, "output_dim": getattr(module, "output_dim", None), "x": x}
    return found if y is None else {**found, "y": y}


@probe
def applied_twice(
    answers: Any, name: str, sizes: Any, x: Any, x2: Any, y: Any = None, y2: Any = None
) -> dict[str, Any]:
    torch.manual_seed(1)
    module = getattr(answers, name)(*sizes.tolist())
    if y is None:
        return {"output": module(x), "second": module(x2)}
    return {"output": module(x, y), "second": module(x2, y2)}


@probe
def seeded(
    answers: Any, name: str, seed: int, sizes: Any, x_shape: Any, y_shape: Any = None
) -> dict[str, Any]:
    torch.manual_seed(seed)
    module = getattr(answers, name)(*sizes.tolist())
    x = torch.randn(*x_shape.tolist())
    return {"output": module(x) if y_shape is None else module(x, torch.randn(*y_shape.tolist()))}


@probe
def copied(
    answers: Any,
    name: str,
    way: int,
    sizes: Any,
    query: Any,
    query_bias: Any,
    key: Any,
    key_bias: Any,
    value: Any,
    value_bias: Any,
    x: Any,
    y: Any = None,
) -> dict[str, Any]:
    # Which layer is which is not known: the reference rows are laid into the layers in every
    # order that fits them, stacked where one layer has room for several.
    import itertools

    torch.manual_seed(1)
    module = getattr(answers, name)(*sizes.tolist()).to(x.dtype)
    inputs = (x,) if y is None else (x, y)
    module(*inputs)  # a lazy layer takes its shape only now
    layers = [
        layer
        for layer in module.modules()
        if isinstance(getattr(layer, "weight", None), torch.Tensor) and layer.weight.dim() == 2
    ]
    parts = [(query, query_bias), (key, key_bias), (value, value_bias)]
    ways = []
    for order in itertools.permutations(parts):
        left, plan = list(order), []
        for layer in layers:
            taken: list[Any] = []
            while left and sum(len(bias) for _, bias in taken) < layer.weight.shape[0]:
                taken.append(left.pop(0))
            widths = {weight.shape[1] for weight, _ in taken}
            rows = sum(len(bias) for _, bias in taken)
            bias = getattr(layer, "bias", None)
            if (
                widths == {layer.weight.shape[1]}
                and rows == layer.weight.shape[0]
                and isinstance(bias, torch.Tensor)
            ):
                plan.append((layer, taken))
        if not left and len(plan) == len(layers):
            ways.append(plan)
    if way >= len(ways):
        biased = [isinstance(getattr(layer, "bias", None), torch.Tensor) for layer in layers]
        made = [(*layer.weight.shape, has) for layer, has in zip(layers, biased, strict=True)]
        return {"ways": len(ways), "layers": torch.tensor(made)}
    with torch.no_grad():
        for layer, taken in ways[way]:
            layer.weight.copy_(torch.cat([weight for weight, _ in taken]))
            layer.bias.copy_(torch.cat([bias for _, bias in taken]))
    return {"ways": len(ways), "output": module(*inputs)}


@probe
def differentiated(
    answers: Any, name: str, sizes: Any, direction: Any, x: Any, y: Any = None
) -> dict[str, Any]:
    torch.manual_seed(1)
    module = getattr(answers, name)(*sizes.tolist())
    inputs = [x.requires_grad_()] if y is None else [x.requires_grad_(), y.requires_grad_()]
    output = module(*inputs)
    found = {"output": output}
    if getattr(output, "shape", None) != direction.shape or not output.requires_grad:
        return found
    (output * direction).sum().backward()
    tensors = [*inputs, *module.parameters()]
    largest = [-1.0 if t.grad is None else t.grad.abs().max().item() for t in tensors]
    dims = torch.tensor([t.dim() for t in tensors])
    return {**found, "gradients": torch.tensor(largest), "dims": dims}


@probe
def in_double(answers: Any, name: str, sizes: Any, x: Any, y: Any = None) -> dict[str, Any]:
    torch.manual_seed(1)
    module = getattr(answers, name)(*sizes.tolist()).double()
    inputs = [x.double()] if y is None else [x.double(), y.double()]
    output = module(*inputs)
    try:  # the meta device stands in for any device that is not the CPU
        device = module.to("meta")(*[part.to("meta") for part in inputs]).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"output": output, "device": device}


def reference(
    seed: int, query: tuple[int, int], key: tuple[int, int], value: tuple[int, int]
) -> dict[str, torch.Tensor]:
    """Weights (out, in) and biases to copy into the three layers."""
    made = {}
    for offset, (name, (rows, columns)) in enumerate(
        {"query": query, "key": key, "value": value}.items()
    ):
        made[name] = numbers(seed + 10 * offset, rows, columns, scale=columns**-0.5)
        made[f"{name}_bias"] = numbers(seed + 10 * offset + 1, rows, scale=0.5)
    return made


def expect_layers(student: Student, name: str, inputs: Inputs) -> int:
    """In how many ways the reference weights fit the module's layers; at least one."""
    ways = student.run(copied, name=name, way=0, **inputs)["ways"]
    expect(type(ways) is int and 0 < ways <= WAYS, wording.NO_LAYERS)
    assert isinstance(ways, int)
    return ways


def match_copied(
    student: Student, expected: Expected, case: str, name: str, inputs: Inputs
) -> None:
    """With the reference weights in its layers the module must answer as the solution does."""

    def attempt(way: int) -> None:
        expected.match(case, student.run(copied, name=name, way=way, **inputs))

    ways = expect_layers(student, name, inputs)
    first_that_holds([partial(attempt, way) for way in range(ways)])


def match_values(
    student: Student,
    expected: Expected,
    name: str,
    weights: Mapping[str, Inputs],
    examples: Mapping[str, Example],
) -> None:
    """All cases of `weights` must hold; or all `examples`, for layers that cannot be filled."""
    replies = {case: student.run(seeded, name=name, **inputs) for case, inputs in examples.items()}
    seeds_hold = all(expected.accepts(case, reply) for case, reply in replies.items())

    def fill() -> None:
        for case, inputs in weights.items():
            match_copied(student, expected, case, name, inputs)

    first_that_holds([fill, lambda: expect(seeds_hold, wording.NO_LAYERS)])


def expect_output_shape(
    student: Student, name: str, sizes: torch.Tensor, **inputs: torch.Tensor
) -> None:
    """The output must have one row of the size output_dim for each position of x."""
    reply = student.run(applied, name=name, sizes=sizes, **inputs)
    expect_shape(reply, "output", **_dims(inputs["x"], sizes, inputs.keys()))


def expect_output_dim(
    student: Student, name: str, sizes: torch.Tensor, **inputs: torch.Tensor
) -> None:
    """The attribute `output_dim` must hold the last of the sizes, whichever it is."""
    for output_dim in (int(sizes[-1]), 2):
        given = torch.cat([sizes[:-1], torch.tensor([output_dim])])
        reply = student.run(applied, name=name, sizes=given, **inputs)
        expect_count(reply, "output_dim", output_dim, wording.NOT_ITS_SIZE)


def outputs_of_both(
    student: Student, name: str, sizes: torch.Tensor, **inputs: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """What one module returns for x (and y), which must vary, and for x2 (and y2), in float64."""
    reply = student.run(applied_twice, name=name, sizes=sizes, **inputs)
    dims = _dims(inputs["x"], sizes, inputs.keys())
    output = expect_floats(reply, "output", **dims)
    expect(output.isfinite().all(), sentences.not_finite("output"))
    expect_varied(reply, "output", **dims)
    return output, expect_floats(reply, "second", **_dims(inputs["x2"], sizes, inputs.keys()))


def expect_gradients_everywhere(
    student: Student, name: str, sizes: torch.Tensor, **inputs: torch.Tensor
) -> None:
    """The gradient of the output must reach the inputs and every parameter."""
    dims = _dims(inputs["x"], sizes, inputs.keys())
    direction = numbers(7, *dims.values())
    reply = student.run(differentiated, name=name, sizes=sizes, direction=direction, **inputs)
    expect_gradients(reply, len(inputs), **dims)


def expect_care(student: Student, name: str, sizes: torch.Tensor, **inputs: torch.Tensor) -> None:
    """The output must have the inputs' dtype and device, and the inputs must stay as they are."""
    expect_kept(student.run(in_double, name=name, sizes=sizes, **inputs))
    expect_unchanged(student.run(applied, name=name, sizes=sizes, **inputs), inputs)


def _dims(x: torch.Tensor, sizes: torch.Tensor, names: Collection[str]) -> dict[str, int]:
    """The shape of the output; `names` are those of the inputs."""
    positions = "L_x" if "y" in names else "L"
    return {"N": x.shape[0], positions: x.shape[1], "output_dim": int(sizes[-1])}
