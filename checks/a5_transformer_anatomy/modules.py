"""What the checks of the modules share: the given weights go into the layers that the text names.

`sizes` are the arguments of the class as a tensor of integers. In a mapping of inputs, `in_0`,
`in_1`, ... are what `forward` gets; every other tensor is a weight, named by its path, as in
`norm1__bias`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from autograder.checking import Expected, Reply, Student, expect, expect_floats, numbers, probe

from . import wording

Inputs = Mapping[str, torch.Tensor]


@probe
def filled(
    answers: Any, name: str, sizes: Any, mask: Any = None, double: bool = False, **given: Any
) -> dict[str, Any]:
    module = getattr(answers, name)(*sizes.tolist()).eval()
    if double:
        module = module.double()
    inputs = [given.pop(key) for key in sorted(given) if key.startswith("in_")]
    sent = {f"in_{place}": tensor for place, tensor in enumerate(inputs)}
    for path, tensor in given.items():
        part = module
        for step in path.split("__"):
            part = getattr(part, step, None)
        if getattr(part, "shape", None) != tensor.shape:
            return {"missing": path.partition("__")[0]}
        with torch.no_grad():
            part.copy_(tensor)
    how = {} if mask is None else {"mask": mask}
    found = module(*[tensor.double() if double else tensor for tensor in inputs], **how)
    pair = found if isinstance(found, (tuple, list)) else (found,)
    if isinstance(pair[0], torch.Tensor) and pair[0].requires_grad:
        (pair[0] ** 3).sum().backward()  # type: ignore[no-untyped-call]
    tensors = list(module.parameters())
    largest = [-1.0 if t.grad is None else t.grad.abs().max().item() for t in tensors]
    try:  # the meta device stands in for any device that is not the CPU
        there = module.to("meta")(*[tensor.to("meta") for tensor in inputs])
        device = (there[0] if isinstance(there, (tuple, list)) else there).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {
        **dict(zip(("output", "weights"), pair, strict=False)),
        **sent,
        "missing": "",
        "gradients": torch.tensor(largest),
        "dims": torch.tensor([t.dim() for t in tensors]),
        "device": device,
    }


@probe
def trained(
    answers: Any, name: str, sizes: Any, dropout: float | None, seed: int, **given: Any
) -> dict[str, Any]:
    how = {} if dropout is None else {"dropout": dropout}
    module = getattr(answers, name)(*sizes.tolist(), **how)
    inputs = [given.pop(key) for key in sorted(given) if key.startswith("in_")]
    for path, tensor in given.items():
        part = module
        for step in path.split("__"):
            part = getattr(part, step, None)
        if getattr(part, "shape", None) != tensor.shape:
            return {"missing": path.partition("__")[0]}
        with torch.no_grad():
            part.copy_(tensor)
    torch.manual_seed(seed)
    found = {"missing": ""}
    for mode, training in (("training", True), ("eval", False), ("again", False)):
        output = module.train(training)(*inputs)
        pair = output if isinstance(output, (tuple, list)) else (output,)
        found[mode] = pair[0]
        if training and len(pair) > 1:
            found["weights"] = pair[1]
    return found


def linear(seed: int, name: str, rows: int, columns: int) -> dict[str, torch.Tensor]:
    """Weight and bias of a linear layer, by their paths."""
    return {
        f"{name}__weight": numbers(seed, rows, columns, scale=columns**-0.5),
        f"{name}__bias": numbers(seed + 1, rows, scale=0.5),
    }


def mixing(seed: int, name: str, size: int) -> dict[str, torch.Tensor]:
    """Weight and bias of a square layer that can well be undone by `unmixed`."""
    return {
        f"{name}__weight": torch.eye(size) + numbers(seed, size, size, scale=0.4 * size**-0.5),
        f"{name}__bias": numbers(seed + 1, size, scale=0.5),
    }


def unmixed(output: torch.Tensor, given: Inputs, name: str) -> torch.Tensor:
    """What the layer `name` with the weights in `given` made `output` of, in float64."""
    weight, bias = (given[f"{name}__{part}"].double() for part in ("weight", "bias"))
    columns: torch.Tensor = torch.linalg.solve(weight, (output - bias).transpose(1, 2))
    return columns.transpose(1, 2)


def norm(seed: int, name: str, size: int) -> dict[str, torch.Tensor]:
    """Weight and bias of a layer norm, by their paths."""
    return {
        f"{name}__weight": 1 + numbers(seed, size, scale=0.3),
        f"{name}__bias": numbers(seed + 1, size, scale=0.3),
    }


def projections(seed: int, size: int, at: str = "") -> dict[str, torch.Tensor]:
    """The four layers of a multi-head attention, by their paths below `at`."""
    made: dict[str, torch.Tensor] = {}
    for place, name in enumerate(("W_q", "W_k", "W_v", "W_o")):
        made |= linear(seed + 10 * place, f"{at}{name}", size, size)
    return made


def bare(inputs: Inputs) -> dict[str, torch.Tensor]:
    """`inputs` without weights: the layers keep what they were made with, and any names."""
    return {key: t for key, t in inputs.items() if key in ("sizes", "mask") or "in_" in key[:3]}


def run_filled(student: Student, name: str, inputs: Mapping[str, Any]) -> Reply:
    """The reply of `filled`; the check fails when a named part is not there."""
    reply = student.run(filled, name=name, **inputs)
    expect(reply["missing"] == "", wording.NOT_NAMED.format(name=reply["missing"]))
    return reply


def run_trained(
    student: Student, name: str, inputs: Inputs, dropout: float | None, seed: int = 1
) -> Reply:
    """The reply of `trained`, likewise."""
    reply = student.run(trained, name=name, dropout=dropout, seed=seed, **inputs)
    expect(reply["missing"] == "", wording.NOT_NAMED.format(name=reply["missing"]))
    return reply


def match(
    student: Student, expected: Expected, name: str, cases: Mapping[str, Inputs], *kept: str
) -> None:
    """With the given weights the module must answer as the solution does, in all cases."""
    for case, inputs in cases.items():
        reply = run_filled(student, name, inputs)
        expected.match(case, Reply.of({key: reply.tensor(key) for key in kept}))


def expect_dropped(
    found: torch.Tensor, whole: torch.Tensor, dropout: float, tolerance: float = 0.03
) -> None:
    """Each number of `found` must be 0 or that of `whole`, scaled up; the share of zeros fits."""
    gone = found.abs() < 1e-5
    kept = (found - whole / (1 - dropout)).abs() < 1e-4 * (1 + whole.abs())
    expect((gone | kept).all() & gone.any() & kept.any(), wording.NOT_DROPPED)
    expect(abs(float(gone.double().mean()) - dropout) < tolerance, wording.NOT_THE_SHARE)


def expect_still(reply: Reply, **dims: int) -> torch.Tensor:
    """What the module puts out in eval mode, twice the same, in float64."""
    first, second = expect_floats(reply, "eval", **dims), expect_floats(reply, "again", **dims)
    expect(torch.equal(first, second), wording.DROPS_IN_EVAL)
    return first
