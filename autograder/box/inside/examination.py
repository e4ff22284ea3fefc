"""What a battery does beside the student's code: calls an answer in many cases and reports on each.

Theory of operation. The grader sends a plan (`Domain` and `Battery` in `autograder.checking` make
it) and the tensors of all cases. For each case the answer is made afresh, given the weights that
the grader sent, called, differentiated, called again with other inputs and with the first ones
again. What it returns and its gradients travel as tensors; what it did to its surroundings travels
as facts. An exception costs the case in which it was raised. Nothing here is secret, and nothing
decides: the grader judges what comes back as hostile.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import torch
from torch import nn

from autograder.box.inside import devices, likeness, overriding, slopes, surroundings, weights
from autograder.box.inside.answer import Answer, Tensors
from autograder.box.inside.repeated import Repeated
from autograder.box.inside.state import seed_torch
from autograder.box.probes import describe, names_of
from autograder.box.tensors import odd_kind
from autograder.box.wire import class_name, crossing

ERROR_CHARS = 300
DRAWS = 48  # calls, where an answer drops numbers by itself
Facts = dict[str, Any]


def examine(answers: Any, plan: str, tensors: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """A probe's reply on every case of `plan`: tensors by `case/name`, and `told`, JSON facts."""
    parts = json.loads(plan)
    found: Tensors = {}
    told = {}
    for case in parts["cases"]:
        examined = _Case(answers, parts, case, tensors, found=found)
        told[case["id"]] = examined.facts()
    return {**found, "told": _as_json(told)}


def outline(answers: Any, plan: str, tensors: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """Name and shape of each parameter of the answer in the plan's first case, as JSON.

    Those that a call uses come first, in the order in which it uses them. Then the same of those
    that are no constants, and of those which a call uses. Where roles are traced, also name and
    shape of each role, and in how many ways they may lie in the parameters.
    """
    parts = json.loads(plan)
    case = Answer(answers, parts, parts["cases"][0], tensors)
    with surroundings.settled(case.seed):
        module = case.made()
        named = weights.named(module)
        used = case.used(module)
    traced = case.traced()
    shapes = {name: list(parameter.shape) for name, parameter in named.items()}
    places = traced.places if traced.is_whole else {}
    roles = {role: shapes[name] for name, rows in places.items() for role, _, _ in rows}
    order = sorted(named, key=lambda name: used.get(id(named[name]), len(used)))
    return {
        "parameters": _as_json([[name, shapes[name]] for name in order]),
        "learned": _as_json([[n, shapes[n]] for n in order if named[n].requires_grad]),
        "used": _as_json([[n, shapes[n]] for n in order if id(named[n]) in used]),
        "roles": _as_json([*roles.items()]),
        "ways": traced.ways if places else 0,
    }


class _Case(Repeated):
    """What one answer did in one case."""

    def facts(self) -> Facts:
        """Runs the case; what is told of it."""
        facts: Facts = {"world": []}
        try:
            self._run(facts)
        except weights.DoNotFit:
            facts["unfit"] = True
        except BaseException as error:  # student code may raise anything, SystemExit included
            facts["error"] = _short(error)
        return {name: fact for name, fact in facts.items() if fact not in (None, [], {}, False)}

    def _run(self, facts: Facts) -> None:
        with self._settled(facts):
            subject = self._ready()
            if isinstance(subject, nn.Module):
                facts["attributes"] = self._attributes(subject)
                facts["unregistered"] = self.adopted
                facts["places"] = self._places()
            if self._case["elsewhere"]:
                facts["device"] = self._device(subject)
                return
            self._call_once(subject, facts)
            if facts["drops_by_hand"]:
                self._keep_chance(subject)
        if self._case["again"] or (self._plan["dropout"] and self._case["training"]):
            with self._settled(facts):
                facts |= self.started(subject)
        if self._case["again"]:
            with self._settled(facts):
                facts |= self.asked_again(subject, facts["world"])
        if self._case["gradients"]:
            with self._settled(facts):
                self._differentiated(subject, facts)
        elif self._case["again"]:
            with self._settled(facts):
                facts["unmarked"] = self._unmarked(subject)

    @contextmanager
    def _settled(self, facts: Facts) -> Iterator[None]:
        """A clean state; what is left otherwise is told once."""
        with surroundings.settled(self.seed) as changed:
            yield
        facts["world"] = sorted({*facts["world"], *changed})

    def _unmarked(self, subject: Any) -> list[str]:
        """Inputs that require gradients, and do so no more after a call; it need not take such."""
        inputs = self._inputs(self._case["data"])
        floats = {n: one.requires_grad_() for n, one in inputs.items() if one.is_floating_point()}
        if floats:
            with suppress(Exception):
                self.asked(subject, inputs)
        return [name for name, one in floats.items() if not one.requires_grad]

    def _differentiated(self, subject: Any, facts: Facts) -> None:
        try:
            self._differentiate(subject)
        except BaseException as error:
            facts["backward"] = _short(error)
        if self._case["slopes"]:
            facts["slopes"] = self._false_slopes(subject)

    def _false_slopes(self, subject: Any) -> list[str]:
        """Inputs along which results change otherwise than their gradients say."""
        parameters: list[torch.Tensor] = []
        if isinstance(subject, nn.Module):
            parameters = [one for one in subject.double().parameters() if one.requires_grad]

        def asked(inputs: Mapping[str, torch.Tensor]) -> list[Any]:
            seed_torch(self.seed)
            return self.asked(subject, {name: one.clone() for name, one in inputs.items()})

        inputs = self._inputs(self._case["data"], "float64")
        try:
            asked(inputs)
        except Exception:  # single precision may be all that it takes
            return []
        return slopes.false_slopes(asked, inputs, parameters, self._directions())

    def _places(self) -> Facts:
        """The parameter in which each traced role lies, in the case that is asked again."""
        if "way" not in self._case or not self._case["again"]:
            return {}
        return {role: name for name, one in (self._layout or {}).items() for role in one["roles"]}

    def _attributes(self, module: nn.Module) -> Facts:
        found = {name: getattr(module, name, None) for name in self._plan["attributes"]}
        return {name: v if type(v) is int else None for name, v in found.items()}

    def _call_once(self, subject: Any, facts: Facts) -> None:
        inputs = self._inputs(self._case["data"])
        before = {name: tensor.clone() for name, tensor in inputs.items()}
        again = self._case["again"]  # looked at more closely, which takes longer than the call
        graded = again and not self._plan["clears_gradients"]
        watched = surroundings.Watched(subject, self._owned, graded=graded, followed=again)
        functions = surroundings.Functions(names_of(self._answers)) if again else None
        used: list[str] = []
        with overriding.noticing(self._plan["forbidden"], self._plan["ready_made"], used):
            answer = self._called(subject, inputs)
        facts["forbidden"] = sorted(set(used))
        facts["emptied"] = self._emptied
        facts["replaced"] = functions.replaced() if functions else []
        facts |= watched.changes(random=self._plan["random"], mode=self._plan["sets_mode"])
        facts["mode"] = facts.get("mode", False) or self.switched
        drops = self._plan["dropout"] and self._case["training"]
        facts["drops_by_hand"] = facts.pop("drew", False) if drops else False
        facts["changed"] = [
            n for n, tensor in inputs.items() if not surroundings.same(tensor, before[n])
        ]
        facts["marked"] = [n for n, tensor in inputs.items() if tensor.requires_grad]
        self._keep(answer, facts)

    def _keep_chance(self, subject: Any) -> None:
        """Mean and spread of what many calls return: how far chance moves it, and from where."""
        drawn: dict[str, list[torch.Tensor]] = {name: [] for name in self._plan["returns"]}
        with torch.no_grad():
            for _ in range(DRAWS):
                parts = self.parts(self._called(subject, self._inputs(self._case["data"])))
                for name, part in zip(drawn, parts, strict=False):
                    if isinstance(part, torch.Tensor) and not odd_kind(part):
                        drawn[name].append(part.double())
        for name, ones in drawn.items():
            if len(ones) == DRAWS and len({one.shape for one in ones}) == 1:
                spread, mean = torch.std_mean(torch.stack(ones), 0)
                self._found[f"{self._case['id']}/mean/{name}"] = mean
                self._found[f"{self._case['id']}/spread/{name}"] = spread

    def _keep(self, answer: Any, facts: Facts) -> None:
        names = self._plan["returns"]
        parts = self.parts(answer)
        if len(parts) != len(names) or (
            self._plan["dictionary"] and not isinstance(answer, Mapping)
        ):
            facts["count"] = len(parts)
        kinds = {}
        for name, part in zip(names, parts, strict=False):
            kind = odd_kind(part) if isinstance(part, torch.Tensor) else class_name(type(part))
            if kind:
                kinds[name] = kind[:ERROR_CHARS]
            else:
                self._found[f"{self._case['id']}/{name}"] = part
        facts["kinds"] = kinds
        if isinstance(answer, Mapping) and not self._plan["dictionary"] and len(names) > 1:
            facts["absent"] = [name for name in names if name not in answer]

    def _differentiate(self, subject: Any) -> None:
        """Gradients of the inputs and of the roles, along the directions that the grader sent."""
        leaves = {
            name: tensor.requires_grad_() if tensor.is_floating_point() else tensor
            for name, tensor in self._inputs(self._case["data"]).items()
        }
        # an answer that changes its input in place shall be told that, and not what autograd says
        inputs = {n: t.clone() if t.requires_grad else t for n, t in leaves.items()}
        parts = self.parts(self._called(subject, inputs))
        torch.set_grad_enabled(True)  # an answer that switches them off was told so before
        total = torch.zeros((), dtype=torch.float64)
        for part, direction in zip(parts, self._directions(), strict=False):
            if direction is not None and likeness.fits(part, direction):
                total = total + (part * direction.to(part.dtype)).sum()
        if total.requires_grad:
            total.backward()  # type: ignore[no-untyped-call]
        key = f"{self._case['id']}/gradient"
        for name, leaf in leaves.items():
            if leaf.requires_grad and leaf.grad is not None:
                self._found[f"{key}/{name}"] = leaf.grad
        if isinstance(subject, nn.Module):
            for role, gradient in weights.gradients(subject, self._layout or {}, self._role):
                self._found[f"{key}/{role}"] = gradient

    def _directions(self) -> list[torch.Tensor | None]:
        """What the grader sent for each result: numbers by which they are summed up."""
        start = f"{self._case['data']}/direction"
        return [self._tensors.get(f"{start}/{name}") for name in self._plan["returns"]]

    def _device(self, subject: Any) -> str:
        """Whether the answer stays where its inputs are: "same", "other", "unknown"."""
        inputs = self._inputs(self._case["data"])
        found = devices.stays_on_meta(subject, inputs, self.asked)
        if found != "unknown" or self._plan["call"]:  # which may read numbers for the answer
            return found
        left = devices.leaves_by_numbers(self._ready(), inputs, self.asked)
        return "other" if left else found


def _as_json(told: Any) -> str:
    """What is told, in which names that the student gave may stand."""
    return crossing(json.dumps(told, ensure_ascii=False))


def _short(error: BaseException) -> Facts:
    told = describe(error)
    return {
        "name": told["name"][:ERROR_CHARS],
        "text": told["text"][:ERROR_CHARS],
        "lines": [line[:ERROR_CHARS] for line in told["lines"][-2:]],
    }
