"""What the checks of the four modules with parameters share: plain probes, and how values match.

`sizes` are the arguments of the class as a tensor of integers. `order` names the inputs of its
forward; an input that is not given is None, and one with `_2` at its end stands in for the one
without in a second run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch

from autograder.checking import Expected, Reply, Student, expect, first_that_holds, probe

from . import wording
from .filling import WAYS, filled

Case = Mapping[str, torch.Tensor | int | str]
Compared = Callable[[Reply, Case], Reply]


@probe
def applied(
    answers: Any,
    name: str,
    sizes: Any,
    order: str,
    seed: int = 1,
    method: str = "__call__",
    **given: Any,
) -> dict[str, Any]:
    def answer(given: Any) -> tuple[Any, Any]:
        inputs = [given.get(one) for one in order.split()]
        while inputs[-1] is None:
            inputs.pop()  # so that the student's defaults are used
        found = getattr(module, method)(*inputs)
        if name != "MultiHeadAttention" or not isinstance(found, (tuple, list)):
            return found, None
        return found[0], found[1] if len(found) > 1 else None

    torch.manual_seed(seed)
    module = getattr(answers, name)(*sizes.tolist())
    second = {one.removesuffix("_2"): given.pop(one) for one in [*given] if one.endswith("_2")}
    output, attention = answer(given)
    found = {**given, "output": output}
    if attention is not None:
        found["attention"] = attention
    if second:
        found["second"], _ = answer({**given, **second})
    return found


@probe
def differentiated(
    answers: Any, name: str, sizes: Any, order: str, direction: Any, **given: Any
) -> dict[str, Any]:
    torch.manual_seed(1)
    module = getattr(answers, name)(*sizes.tolist())
    inputs = [given[one] for one in order.split() if one in given]
    floats = [one for one in inputs if one.is_floating_point()]
    for one in floats:
        one.requires_grad_()
    output = module(*inputs)
    if name == "MultiHeadAttention" and isinstance(output, (tuple, list)):
        output = output[0]
    found = {"output": output}
    if getattr(output, "shape", None) != direction.shape or not output.requires_grad:
        return found
    (output * direction).sum().backward()
    tensors = [*floats, *module.parameters()]
    largest = [-1.0 if t.grad is None else t.grad.abs().max().item() for t in tensors]
    dims = torch.tensor([t.dim() for t in tensors])
    return {**found, "gradients": torch.tensor(largest), "dims": dims}


@probe
def in_double(answers: Any, name: str, sizes: Any, order: str, **given: Any) -> dict[str, Any]:
    def answer(inputs: Any) -> Any:
        output = module(*inputs)
        if name == "MultiHeadAttention" and isinstance(output, (tuple, list)):
            return output[0]
        return output

    torch.manual_seed(1)
    module = getattr(answers, name)(*sizes.tolist()).double()
    inputs = [given[one] for one in order.split() if one in given]
    inputs = [one.double() if one.is_floating_point() else one for one in inputs]
    output = answer(inputs)
    module.to("meta")
    try:  # the meta device stands in for any device that is not the CPU
        device = answer([one.to("meta") for one in inputs]).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        unable = isinstance(error, NotImplementedError) or "meta tensors" in str(error)
        device = "meta" if unable else "mixed"
    return {"output": output, "device": device}


def output_of(reply: Reply, case: Case) -> Reply:
    """The output alone."""
    return Reply.of({"output": reply.tensor("output")})


def expect_parts(student: Student, name: str, order: str, case: Case) -> tuple[Reply, int]:
    """The module's answer with the weights of `case` laid into it in the first possible way.

    Also in how many ways they fit; at least one.
    """
    reply = student.run(filled, name=name, order=order, way=0, **case)
    ways = reply["ways"]
    expect(type(ways) is int and 0 < ways <= WAYS, wording.NO_PARTS)
    assert isinstance(ways, int)
    return reply, ways


def match_filled(
    student: Student,
    expected: Expected,
    name: str,
    order: str,
    cases: Mapping[str, Case],
    seeded: Mapping[str, Case],
    compared: Compared = output_of,
) -> None:
    """With the weights of each case laid into it the module must answer as the solution does.

    A module that they do not fit into must agree in all cases of `seeded`, where its own weights
    are drawn under a seed.
    """
    drawn = {case: student.run(applied, name=name, order=order, **seeded[case]) for case in seeded}
    agree = [expected.accepts(c, compared(reply, seeded[c])) for c, reply in drawn.items()]

    def attempt(case: str, way: int) -> None:
        reply = student.run(filled, name=name, order=order, way=way, **cases[case])
        expected.match(case, compared(reply, cases[case]))

    def fill() -> None:
        for case, inputs in cases.items():
            reply, ways = expect_parts(student, name, order, inputs)
            others = [partial(attempt, case, way) for way in range(1, ways)]
            first = partial(expected.match, case, compared(reply, inputs))
            first_that_holds([first, *others])

    first_that_holds([fill, lambda: expect(all(agree), wording.NO_PARTS)])
