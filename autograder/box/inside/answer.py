"""An answer as a battery asks it: made for one case, given its weights, and called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

import torch
from torch import nn

from autograder.box.inside import overriding, surroundings, weights
from autograder.box.inside.state import seed_torch, settle
from autograder.box.inside.tracing import Traced, trace
from autograder.box.probes import SCOPE, compiled
from autograder.box.tensors import united

Tensors = dict[str, torch.Tensor]
TRACED_BY = ("arguments", "omitted", "training", "way")
"""On what the way through a module may depend; where the plan makes it, on all sizes, too."""

_traces: dict[tuple[int, str], tuple[Any, Traced]] = {}  # each with its answer, which so stays


def forget_traces() -> None:
    """Looks at modules anew from now on, as after a cell, which may have defined others."""
    _traces.clear()


class Answer:
    """One answer in one case of a plan (see `examination`)."""

    def __init__(
        self,
        answers: Any,
        plan: dict[str, Any],
        case: dict[str, Any],
        tensors: Mapping[str, torch.Tensor],
    ) -> None:
        self._answers = answers
        self._plan = plan
        self._case = case
        self._tensors = tensors
        self._owned: Any = None
        self._layout: weights.Layout | None = case.get("layout")
        self._zero: Sequence[str] = case.get("zero", ())
        self._spare: Sequence[str] = case.get("spare", ())
        self._emptied = False
        self._rates: list[float] = []  # of torch's dropouts in the latest call
        self.adopted: list[str] = []
        self.switched = False
        self.seed = int(case["seed"])

    def made(self) -> Any:
        """The function, or a module of the class, in the case's dtype and mode."""
        sizes = self._case["sizes"]
        if self._plan["make"]:
            made = _function(self._plan["make"])(self._answers, **sizes)
            subject, self._owned = made if isinstance(made, tuple) else (made, None)
            self.switched = not all(getattr(part, "training", True) for part in self._owned or ())
        elif self._plan["arguments"] is None:
            return getattr(self._answers, self._plan["answer"])
        else:
            subject = self._constructed()
        if not isinstance(subject, nn.Module):
            return subject
        self.adopted = weights.adopt(subject)
        if any(isinstance(p, nn.UninitializedParameter) for p in subject.parameters()):
            with torch.no_grad():
                self._called(subject, self._inputs(self._case["data"], "float32"))
        if self._case["dtype"] != "float32":  # which a module made as usual has by itself
            subject.to(getattr(torch, self._case["dtype"]))
        subject.train(self._case["training"])  # an answer's own may return nothing
        return subject

    def _constructed(self) -> Any:
        """An object of the class; settings go by name where it takes them in no other way."""
        answer = getattr(self._answers, self._plan["answer"])
        given = [*zip(self._plan["arguments"], self._case["arguments"], strict=True)]
        named = {name: value for name, value in given if name in self._case["settings"]}
        if named and not _can_take(answer, [value for _, value in given]):
            return answer(*(value for name, value in given if name not in named), **named)
        return answer(*(value for _, value in given))

    def _ready(self) -> Any:
        """The answer as it is asked: a module with its weights."""
        if "way" in self._case and self._layout is None:
            self._find_roles()
        seed_torch(self.seed)
        return self._laid(self.made())

    def _laid(self, subject: Any) -> Any:
        """An answer, which has the weights of the case from now on if it is a module."""
        if isinstance(subject, nn.Module) and self._layout is not None:
            weights.lay(subject, self._layout, self._zero, self._spare, self._role)
        elif isinstance(subject, nn.Module) and self._case.get("alike"):
            weights.lay_alike(subject)
        return subject

    def traced(self) -> Traced:
        """What the parameters of a module like the answer's are for, told from how it answers.

        Modules that are made alike are looked at once.
        """
        made_by = (*TRACED_BY, "sizes") if self._plan["make"] else TRACED_BY
        plan = [self._plan[what] for what in ("make", "call", "inputs", "traced")]
        answer = getattr(self._answers, self._plan["answer"])
        key = id(answer), repr([plan, [self._case.get(what, 0) for what in made_by]])
        if key not in _traces:
            with surroundings.settled(self.seed):
                _traces[key] = answer, self._trace()
            settle(self.seed)
        return _traces[key][1]

    def _trace(self) -> Traced:
        plan = self._plan["traced"]
        if not plan:
            return Traced(is_whole=False)
        part = getattr(self._answers, plan["part"])
        pieces = self._case["sizes"][plan["pieces"]]
        module = self.made()

        def run() -> Any:
            return self._called(module, self._inputs(self._case["data"]))

        return trace(module, run, part, plan["reads"], pieces, self._case.get("way", 0))

    def _find_roles(self) -> None:
        """Lays out the roles by how a module like the answer's answers; without biases if bare."""
        traced = self.traced()
        start = f"{self._case['data']}/role/"
        roles = {k.removeprefix(start): t for k, t in self._tensors.items() if k.startswith(start)}
        places = traced.layout()
        if not traced.is_whole or not weights.covers(places, roles):
            raise weights.DoNotFit
        self._spare = traced.spare
        self._zero = [name for name in places if self._case["bare"] and name.endswith("bias")]
        self._layout = {name: place for name, place in places.items() if name not in self._zero}

    def _role(self, name: str) -> torch.Tensor:
        return self._tensors[f"{self._case['data']}/role/{name}"]

    def _inputs(self, data: str, dtype: str = "", *, all_given: bool = False) -> Tensors:
        """Fresh copies in the case's dtype, not contiguous if `strided`, the same if `shared`."""
        floats = getattr(torch, dtype or self._case["dtype"])
        made = {}
        for name in self._plan["inputs"]:
            if name in self._case["omitted"] and not all_given:
                continue
            tensor = self._tensors[f"{data}/{name}"].clone()
            if tensor.is_floating_point():
                tensor = tensor.to(floats)
            if self._case.get("strided") and tensor.dim() > 1:
                tensor = tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
            made[name] = tensor
        return united(made, self._case.get("shared", 0))

    def used(self, module: nn.Module) -> dict[int, int]:
        """When each parameter is used first in a call, by its id.

        In evaluation, if it answers there: in training a question's own call may make many.
        """
        order: dict[int, int] = {}
        parameters = {id(parameter) for parameter in module.parameters()}
        for training in (False, True):
            noting = overriding.noting_use(parameters, order)
            with noting, suppress(Exception):  # a call has cases of its own
                module.train(training)
                self._called(module, self._inputs(self._case["data"]))
                break
        return order

    def _called(self, subject: Any, inputs: Mapping[str, torch.Tensor]) -> Any:
        """Calls the answer, with optional inputs and settings by name."""
        lists = {name: list(inputs[name].unbind()) for name in self._plan["lists"]}
        handed: dict[str, Any] = {**inputs, **{name: list(parts) for name, parts in lists.items()}}
        made_with = self._plan["arguments"] or ()
        settings = {n: v for n, v in self._case["settings"].items() if n not in made_with}
        named = {n: part for n, part in handed.items() if n in self._plan["optional"]}
        undropped = self._plan["dropout"] and self._case["training"]
        counting: AbstractContextManager[list[float]] = nullcontext([])
        if undropped:
            counting = overriding.undropped()
        try:
            with counting as self._rates:
                if self._plan["call"]:
                    return _function(self._plan["call"])(subject, **handed, **settings)
                given = [part for name, part in handed.items() if name not in named]
                return subject(*given, **named, **settings)
        finally:
            self._emptied = not all(
                surroundings.same_things(parts, handed[name]) for name, parts in lists.items()
            )


def _can_take(answer: Callable[..., Any], arguments: Sequence[Any]) -> bool:
    """Whether so many arguments may stand in a row; who hides that is taken at his word."""
    try:
        inspect.signature(answer).bind(*arguments)
    except (TypeError, ValueError) as error:
        return isinstance(error, ValueError)
    return True


def _function(source: Mapping[str, str]) -> Callable[..., Any]:
    """What the plan defines by its source, as a probe is defined."""
    scope = dict(SCOPE)
    exec(compiled(source["source"]), scope)
    made: Callable[..., Any] = scope[source["name"]]
    return made
