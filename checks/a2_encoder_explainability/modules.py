"""What the checks of the modules of the model share: one way to fill, run and compare them.

Attributes of a student's module have names of their own. So every linear layer gets numbers that
follow from its size and its turn among layers of that size, and every norm from its turn in its
block; the two norms of a block may have been made in either order.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import nn

from autograder.checking import Expected, Reply, Student, expect, first_that_holds, probe

from . import wording

Inputs = Mapping[str, torch.Tensor | int | float | bool]
NORM_ORDERS = 2


@probe
def filled(
    answers: Any,
    name: str,
    x: Any,
    norms: int = 0,
    look: bool = False,
    seed: int | None = None,
    mask: Any = None,
    positions: bool = True,
    **sizes: Any,
) -> dict[str, Any]:
    module = getattr(answers, name)(**sizes).to(x.dtype)
    options = {} if mask is None else {"mask": mask}
    if not positions:
        options["add_positional_encoding"] = False
    module(x, **options)  # a lazy layer takes its shape only now

    def drawn(number: int, shape: Any) -> Any:
        return torch.randn(shape, generator=torch.Generator().manual_seed(number))

    inside = list(module.modules())
    mixing = {id(part.o_proj) for part in inside if hasattr(part, "o_proj")}
    blocks = [part for part in inside if name != "MultiheadAttention"]
    blocks = [part for part in blocks if isinstance(part, answers.EncoderBlock)]
    groups = [[n for n in block.modules() if isinstance(n, nn.LayerNorm)] for block in blocks]
    placed = {id(norm) for group in groups for norm in group}
    groups.append([n for n in inside if isinstance(n, nn.LayerNorm) and id(n) not in placed])
    turns: dict[Any, int] = {}
    with torch.no_grad():
        for layer in inside:
            if isinstance(layer, nn.Linear):
                rows, columns = layer.weight.shape
                kind = (rows, columns, id(layer) in mixing)
                turns[kind] = turns.get(kind, -1) + 1
                number = ((100 * rows + columns) * 2 + kind[2]) * 10 + turns[kind]
                layer.weight.copy_(drawn(number, (rows, columns)) * columns**-0.5)
                if layer.bias is not None:
                    layer.bias.copy_(drawn(number + 1_000_000, rows) * 0.5)
        for place, group in enumerate(groups):
            ordered = group[::-1] if norms == 1 and place < len(blocks) else group
            for turn, norm in enumerate(ordered):
                number = 2_000_000 + 10 * place + turn
                norm.weight.copy_(1 + drawn(number, norm.weight.shape) * 0.5)
                norm.bias.copy_(drawn(number + 1_000_000, norm.bias.shape) * 0.5)
    module.train(seed is not None)
    if seed is not None:
        torch.manual_seed(seed)
    if not look:
        return {"output": module(x, **options), "x": x}
    if hasattr(module, "get_attention_maps"):
        maps, beside = module.get_attention_maps(x, return_outputs=True, **options)
        alone = module.get_attention_maps(x, **options)
    else:
        beside, attention = module(x, return_attention=True, **options)
        maps = alone = [attention]
    shown = {f"map_{place}": attention for place, attention in enumerate(maps)}
    same = len(alone) == len(maps) and all(map(torch.equal, alone, maps))
    return {**shown, "beside": beside, "maps": len(maps), "same_alone": same}


@probe
def described(answers: Any, name: str, x: Any, **sizes: Any) -> dict[str, Any]:
    module = getattr(answers, name)(**sizes)
    module(x)
    linear = [part for part in module.modules() if isinstance(part, nn.Linear)]
    norms = [part for part in module.modules() if isinstance(part, nn.LayerNorm)]
    shapes = sorted(tuple(layer.weight.shape) for layer in linear)
    return {
        "linear": torch.tensor(shapes),
        "biases": sum(layer.bias is not None for layer in linear),
        "norms": torch.tensor(sorted(norm.normalized_shape[0] for norm in norms)),
        "parameters": sum(parameter.numel() for parameter in module.parameters()),
    }


@probe
def differentiated(answers: Any, name: str, x: Any, direction: Any, **sizes: Any) -> dict[str, Any]:
    torch.manual_seed(1)
    module = getattr(answers, name)(**sizes)
    x.requires_grad_()
    output = module(x)
    found = {"output": output}
    if getattr(output, "shape", None) != direction.shape or not output.requires_grad:
        return found
    (output * direction).sum().backward()
    tensors = [x, *module.parameters()]
    largest = [-1.0 if t.grad is None else t.grad.abs().max().item() for t in tensors]
    dims = torch.tensor([t.dim() for t in tensors])
    return {**found, "gradients": torch.tensor(largest), "dims": dims}


@probe
def linked(answers: Any, name: str, x: Any, direction: Any, **sizes: Any) -> dict[str, Any]:
    torch.manual_seed(1)
    module = getattr(answers, name)(**sizes)
    if hasattr(module, "get_attention_maps"):
        maps, outputs = module.get_attention_maps(x, return_outputs=True)
    else:
        outputs, attention = module(x, return_attention=True)
        maps = [attention]
    total = (outputs * direction).sum()
    if not total.requires_grad or not all(attention.requires_grad for attention in maps):
        return {"linked": False}
    gradients = torch.autograd.grad(total, list(maps), allow_unused=True)
    reached = [gradient is not None and bool((gradient != 0).any()) for gradient in gradients]
    return {"linked": all(reached), "maps": len(reached)}


@probe
def in_double(answers: Any, name: str, x: Any, mask: Any = None, **sizes: Any) -> dict[str, Any]:
    module = getattr(answers, name)(**sizes).double()
    options = {} if mask is None else {"mask": mask}
    output = module(x.double(), **options)
    try:  # the meta device stands in for any device that is not the CPU
        options = {word: given.to("meta") for word, given in options.items()}
        device = module.to("meta")(x.to("meta"), **options).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"output": output, "device": device}


def match_filled(
    student: Student,
    expected: Expected,
    cases: Mapping[str, Inputs],
    name: str,
    answered: tuple[str, ...] = ("output",),
) -> None:
    """Filled with the reference numbers, the module answers all cases as the solution does."""

    def attempt(norms: int) -> None:
        for case, inputs in cases.items():
            reply = student.run(filled, name=name, norms=norms, **inputs)
            expected.match(case, Reply.of({part: reply.tensor(part) for part in answered}))

    first_that_holds([partial(attempt, norms) for norms in range(NORM_ORDERS)])


def expect_linked(
    student: Student, name: str, maps: int, x: torch.Tensor, direction: torch.Tensor, **sizes: int
) -> None:
    """The outputs are computed from the very maps that are returned, as many as `maps`."""
    reply = student.run(linked, name=name, x=x, direction=direction, **sizes)
    expect(reply["linked"] is True and reply["maps"] == maps, wording.MAPS_NOT_LINKED)


def expect_parts(
    student: Student,
    name: str,
    inputs: Inputs,
    linear: list[tuple[int, int]],
    norms: list[int],
) -> None:
    """The module holds linear layers of these (out, in) sizes, all with bias, and these norms."""
    reply = student.run(described, name=name, **inputs)
    found, sizes = reply.tensor("linear"), reply.tensor("norms")
    expect(found.tolist() == [list(size) for size in sorted(linear)], wording.OTHER_PARTS)
    expect(sizes.tolist() == sorted(norms), wording.OTHER_PARTS)
    expect(reply["biases"] == len(linear), wording.OTHER_PARTS)
    wanted = sum(rows * columns + rows for rows, columns in linear) + 2 * sum(norms)
    expect(reply["parameters"] == wanted, wording.OTHER_PARTS)
