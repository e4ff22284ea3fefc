"""A block or a classifier of the student's own, filled with reference weights.

The questions name the kinds of layers, not the attributes that hold them. So a layer is found by
its kind and size, and two of one kind are told apart by the order in which a first run calls them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import Expected, Reply, Student, expect, probe


@probe
def filled(
    answers: Any,
    name: str,
    sizes: Any,
    depth: int,
    seed: int,
    first: Any,
    mask: Any = None,
    training: bool = False,
) -> dict[str, Any]:
    # `first` and `mask` are what the module takes: x and a mask, or token ids and theirs.
    module = getattr(answers, name)(*sizes.tolist()).eval()
    inputs = (first,) if mask is None else (first, mask)
    called: list[Any] = []
    hooks = [
        part.register_forward_pre_hook(lambda part, _: called.append(part))
        for part in module.modules()
    ]
    output = module(*inputs)
    for hook in hooks:
        hook.remove()
    order = list(dict.fromkeys(called))
    blocks = [part for part in order if isinstance(part, answers.TransformerBlock)]
    found = {"output": output, "first": first, "blocks": len(blocks), "fits": False}
    found |= {} if mask is None else {"mask": mask}

    def linear(parts: Any, rows: int, columns: int) -> list[Any]:
        right = [part for part in parts if isinstance(part, nn.Linear) and part.bias is not None]
        return [part for part in right if part.weight.shape == (rows, columns)]

    size, plan = int(sizes[0]), []
    for block in blocks:
        inside = [part for part in order if part in set(block.modules())]
        attention = [part for part in inside if isinstance(part, answers.SelfAttention)]
        within = {part for one in attention for part in one.modules()}
        own = [part for part in block.modules() if part not in within]
        names = ("to_queries", "to_keys", "to_values", "unify_heads")
        layers = [getattr(one, layer, None) for one in attention for layer in names]
        norms = [part for part in inside if isinstance(part, nn.LayerNorm)]
        mlp = [*linear(own, 2 * size, size), *linear(own, size, 2 * size)]
        linears = [part for part in own if isinstance(part, nn.Linear)]
        if None in layers or [len(attention), len(norms), len(mlp), len(linears)] != [1, 2, 2, 2]:
            return found
        plan += [*layers, *norms, *mlp]
    if name == "TextClassifier":
        within = {part for block in blocks for part in block.modules()}
        outside = [part for part in module.modules() if part not in within]
        tables = [part for part in outside if isinstance(part, nn.Embedding)]
        tables = [part for part in tables if part.weight.shape == (int(sizes[4]), size)]
        linears = [part for part in outside if isinstance(part, nn.Linear)]
        outputs = linear(linears, int(sizes[5]), size)
        if [len(tables), len(linears), len(outputs)] != [1, 1, 1]:
            return found
        plan += [*tables, *outputs]
    if len(blocks) != depth:
        return found
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for part in plan:
            for parameter in part.parameters():
                scale = 1.5 * parameter.shape[-1] ** -0.5 if parameter.dim() > 1 else 0.4
                drawn = scale * torch.randn(parameter.shape, generator=generator)
                parameter.copy_(drawn + float(isinstance(part, nn.LayerNorm)))
    module.train(training)
    torch.manual_seed(5)
    return {**found, "fits": True, "filled": module(*inputs)}


def match_filled(
    student: Student,
    expected: Expected,
    cases: dict[str, dict[str, Any]],
    name: str,
    parts_missing: str,
) -> None:
    """With the reference weights the module must answer every one of `cases` as expected."""
    for case, given in cases.items():
        reply = student.run(filled, name=name, **given)
        expect(reply["fits"] is True, parts_missing)
        expected.match(case, Reply.of({"output": reply.tensor("filled")}))
