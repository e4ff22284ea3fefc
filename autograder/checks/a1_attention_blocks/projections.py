"""What the checks of the three modules with query, key and value layers share.

The modules are `SelfAttention`, `CrossAttention` and `MaskedSelfAttention`. `sizes` are the
arguments of the class as a tensor of integers; `y` is None for a module that reads one sequence.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch

from autograder.checking import (
    CheckFailure,
    Reply,
    Student,
    expect,
    expect_shape,
    first_that_holds,
    probe,
)
from autograder.expected import Expected

Inputs = Mapping[str, torch.Tensor]
Example = Mapping[str, torch.Tensor | int]

NO_LAYERS = (
    "Found no three linear layers, one each for queries, keys and values, with the sizes that the "
    "question gives and with their usual bias."
)
NO_GRADIENT = "The gradient of the output does not reach every parameter and the input."
ELSEWHERE = (
    "On another device than the CPU your code does not stay there: it makes a tensor elsewhere, or "
    "moves one."
)
NOT_ITS_SIZE = "The module's attribute `output_dim` does not hold the size of its output."
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
        return {"ways": len(ways)}
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
    x.requires_grad_()
    output = module(x) if y is None else module(x, y)
    found = {"output": output}
    if getattr(output, "shape", None) != direction.shape or not output.requires_grad:
        return found
    (output * direction).sum().backward()
    tensors = [x, *module.parameters()]
    largest = [-1.0 if t.grad is None else t.grad.abs().max().item() for t in tensors]
    dims = torch.tensor([t.dim() for t in tensors])
    return {**found, "gradients": torch.tensor(largest), "dims": dims}


@probe
def in_double(answers: Any, name: str, sizes: Any, x: Any, y: Any = None) -> dict[str, Any]:
    module = getattr(answers, name)(*sizes.tolist()).double()
    inputs = [x] if y is None else [x, y]
    output = module(*[part.double() for part in inputs])
    try:  # the meta device stands in for any device that is not the CPU
        device = module.to("meta")(*[part.to("meta") for part in inputs]).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"output": output, "device": device}


def sizes_of(*sizes: int) -> torch.Tensor:
    return torch.tensor(sizes)


def numbers(seed: int, *shape: int, scale: float = 1.0) -> torch.Tensor:
    """Random numbers that depend on `seed` and `shape` alone."""
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, generator=generator)


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
    expect(type(ways) is int and 0 < ways <= WAYS, NO_LAYERS)
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

    first_that_holds([fill, lambda: expect(seeds_hold, NO_LAYERS)])


def expect_gradients(reply: Reply, **dims: int) -> None:
    """Nothing may be without a gradient; that of x and of the matrices may not be zero.

    The gradient of a bias may: adding one vector to all keys changes no weight.
    """
    expect_shape(reply, "output", **dims)
    expect("gradients" in reply, NO_GRADIENT)
    found, ranks = reply.tensor("gradients"), reply.tensor("dims")
    expect(found.dtype == torch.float32 and ranks.dtype == torch.int64, NO_GRADIENT)
    expect(found.dim() == 1 and found.shape == ranks.shape, NO_GRADIENT)
    expect(len(found) > 1, "The module has no parameters.")
    expect((found.isfinite() & (found >= 0)).all(), NO_GRADIENT)
    expect((found[ranks > 1] > 0).all(), NO_GRADIENT)


def expect_kept(reply: Reply) -> None:
    """float64 in gives float64 out, and tensors made on the way are on the input's device."""
    output = reply.tensor("output")
    expect(
        output.dtype == torch.float64,
        f"With float64 inputs and parameters the output has dtype {_bare(output.dtype)}; "
        "expected float64.",
    )
    expect(reply["device"] == "meta", ELSEWHERE)


def expect_count(reply: Reply, name: str, count: int, sentence: str) -> None:
    """The reply's `name` must be the whole number `count`."""
    found = reply[name]
    expect(type(found) is int and found == count, sentence)


def expect_unchanged(reply: Reply, inputs: Inputs) -> None:
    """The inputs that came back must be those that were sent."""
    for name, sent in inputs.items():
        back = reply.tensor(name)
        same = back.shape == sent.shape and back.dtype == sent.dtype and torch.equal(back, sent)
        expect(same, f"`{name}` was changed in place; an input must stay as it is.")


def expect_varied(reply: Reply, name: str, **dims: int) -> torch.Tensor:
    """The tensor `name` in float64, not the same at all positions; dims as in expect_shape."""
    tensor = expect_floats(reply, name, **dims)
    spread = tensor.amax(dim=1) - tensor.amin(dim=1)
    expect((spread > 1e-6).any(), f"`{name}` is the same at every position.")
    return tensor


def expect_floats(reply: Reply, name: str, **dims: int) -> torch.Tensor:
    """The floating-point tensor `name` in float64; its sizes as in expect_shape."""
    tensor = expect_shape(reply, name, **dims)
    if not tensor.is_floating_point():
        raise CheckFailure(f"`{name}` has dtype {_bare(tensor.dtype)}; expected float32.")
    return tensor.double()


def same(a: torch.Tensor, b: torch.Tensor, atol: float = 1e-5) -> bool:
    """Whether two tensors of one shape agree; NaN agrees with nothing."""
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=atol)


def _bare(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
