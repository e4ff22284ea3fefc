"""What a call must leave as it found it: torch's global state, random numbers, and its owners'."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial, update_wrapper
from typing import Any

import torch
from torch import nn

from autograder.box.inside.state import settle

WORLD: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "set_grad_enabled": (torch.is_grad_enabled, torch.set_grad_enabled),
    "set_default_dtype": (torch.get_default_dtype, torch.set_default_dtype),
    "set_num_threads": (torch.get_num_threads, torch.set_num_threads),
    "use_deterministic_algorithms": (
        torch.are_deterministic_algorithms_enabled,
        torch.use_deterministic_algorithms,
    ),
    "set_anomaly_enabled": (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
}
"""Switches of torch that hold for the whole process: how each is read and set, by its name."""

EARLIER = 0.25  # every number of the gradients that lie at parameters before a call


@contextmanager
def settled(seed: int) -> Iterator[list[str]]:
    """Runs something in a clean state; the switches that it left otherwise are told afterwards."""
    settle(seed)
    before = {name: read() for name, (read, _) in WORLD.items()}
    changed: list[str] = []
    try:
        yield changed
    finally:
        for name, (read, write) in WORLD.items():
            if read() != before[name]:
                changed.append(name)
                write(before[name])


class _Held:
    """What lies in a module, if there is one, looked up once."""

    def __init__(self, module: nn.Module | None) -> None:
        self.parameters: dict[str, nn.Parameter] = {}
        self._buffers: dict[str, torch.Tensor] = {}
        self.training: list[bool] = []
        if module is not None:
            self.parameters.update(module.named_parameters())
            self._buffers.update(module.named_buffers())
            self.training.extend(part.training for part in module.modules())

    def tensors(self) -> dict[str, torch.Tensor]:
        return {**self.parameters, **self._buffers}

    def required(self) -> dict[str, bool]:
        return {name: parameter.requires_grad for name, parameter in self.parameters.items()}


class Watched:
    """A function or module before a call, with what else belongs to the caller.

    Where its parameters are `graded`, gradients of a call before lie at them meanwhile. Where it is
    `followed`, the calls of its parts are counted.
    """

    def __init__(
        self, subject: Any, owned: Any = None, *, graded: bool = False, followed: bool = True
    ) -> None:
        self._module = subject if isinstance(subject, nn.Module) else None
        self._owned = owned
        self._held = list(owned) if isinstance(owned, list) else None
        self._called: set[int] = set()
        self._forwards = _Forwards(self._module if followed else None)
        for part in self._modules():
            part.register_forward_hook(lambda part, *_: self._called.add(id(part)))
        self._graded = graded
        held = _Held(self._module)
        for parameter in held.parameters.values() if graded else ():
            parameter.grad = torch.full_like(parameter, EARLIER)
        self._state = {name: tensor.detach().clone() for name, tensor in held.tensors().items()}
        self._training = held.training
        self._trains = held.required()
        self._random = torch.random.get_rng_state()

    def _modules(self) -> list[nn.Module]:
        """The caller's own modules among what was handed in."""
        return [part for part in self._held or [] if isinstance(part, nn.Module)]

    def changes(self, *, random: bool, mode: str) -> dict[str, Any]:
        """What the call has changed, by kind; `random` numbers may be drawn, and one `mode` set."""
        held = _Held(self._module)
        now = held.tensors()
        altered = [
            name
            for name, tensor in {**now, **self._state}.items()
            if name not in now or name not in self._state or not same(tensor, now[name])
        ]
        drew = not same(self._random, torch.random.get_rng_state())
        found = {
            "bypassed": any(id(part) not in self._called for part in self._modules()),
            "altered": altered,
            **self._forwards.changes(),
            "mode": self._mode_changed(held.training, mode),
            "frozen": held.required() != self._trains,
            "gradients_left": self._gradients_changed(held.parameters.values()),
            "drew": drew and not random,
            "emptied": self._held is not None and not same_things(self._held, self._owned),
        }
        return {kind: what for kind, what in found.items() if what}

    def _mode_changed(self, now: list[bool], set_to: str) -> bool:
        """Whether a part has another mode than it had, and than the one that it may be set to."""
        if len(now) != len(self._training):
            return not set_to
        may = {"training": True, "evaluation": False}.get(set_to)
        pairs = zip(now, self._training, strict=True)
        return any(mode not in (before, may) for mode, before in pairs)

    def _gradients_changed(self, parameters: Iterable[nn.Parameter]) -> bool:
        """Whether other gradients lie at the parameters than before; takes them away."""
        changed = False
        for parameter in parameters:
            found, parameter.grad = parameter.grad, None
            if self._graded:
                changed |= found is None or not same(found, torch.full_like(parameter, EARLIER))
            else:
                changed |= found is not None
        return changed


class Functions:
    """The functions that everybody calls by their names, before a call.

    They are those of the notebook and of its classes, and of torch.
    """

    def __init__(self, names: Mapping[str, Any]) -> None:
        own = {
            f"{name}.": vars(one)
            for name, one in names.items()
            if isinstance(one, type) and one.__module__ == "__main__"
        }
        torchs = {f"{one.__name__}.": vars(one) for one in (torch, nn.functional, nn.Module)}
        self._owners: dict[str, Mapping[str, Any]] = {"": names, **own, **torchs}
        self._before = {owner: dict(held) for owner, held in self._owners.items()}

    def replaced(self) -> list[str]:
        """Names that stand for something else now; torch wraps some of its own when it likes."""
        return sorted(
            f"{owner}{name}"
            for owner, held in self._before.items()
            for name, one in held.items()
            if (now := self._owners[owner].get(name)) is not one
            and callable(one)
            and getattr(now, "__wrapped__", None) is not one
        )


class _Counted:
    """A method of a module that tells when it is called; a copy of the module has its own again.

    Whoever looks at it, as for its signature, sees the method.
    """

    def __init__(self, part: nn.Module, name: str, note: Callable[[], None]) -> None:
        self._part, self._name, self._note = part, name, note
        self._method = getattr(part, name)
        update_wrapper(self, self._method)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_method"], name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._note()
        return self._method(*args, **kwargs)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copied = memo.get(id(self._part), self._part)
        return getattr(type(copied), self._name).__get__(copied)


class _Forwards:
    """How often the parts of a module answer, and how often they do so as they should: called."""

    def __init__(self, module: nn.Module | None) -> None:
        named = [] if module is None else list(module.named_modules())[1:]
        self._count: dict[str, int] = {}
        self._unhooked: list[str] = []
        self._ends = [
            self._follow(name, part)
            for name, part in named
            if not isinstance(part, torch.jit.ScriptModule)  # which takes no hooks
        ]

    def _follow(self, name: str, part: nn.Module) -> Callable[[], None]:
        before = {method: vars(part).get(method) for method in ("forward", "_call_impl")}
        for method, step in (("forward", 1), ("_call_impl", -1)):  # a call ends in `forward`
            vars(part)[method] = _Counted(part, method, partial(self._note, name, step))
        hook = part.register_forward_hook(lambda *_: None)

        def end() -> None:
            if hook.id not in part._forward_hooks:
                self._unhooked.append(name)
            hook.remove()
            for method, own in before.items():
                vars(part).pop(method, None)
                if own is not None:
                    vars(part)[method] = own

        return end

    def _note(self, name: str, step: int) -> None:
        self._count[name] = self._count.get(name, 0) + step

    def changes(self) -> dict[str, Any]:
        """The parts whose `forward` ran without a call, or which lost a hook; ends the counting."""
        for end in self._ends:
            end()
        passed_over = sorted(name for name, count in self._count.items() if count > 0)
        return {"unhooked": sorted(self._unhooked), "by_forward": passed_over}


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors are equal, told without what answers may have replaced."""
    alike = one.shape == other.shape and one.dtype == other.dtype
    return alike and bool(torch._C._VariableFunctions.equal(one, other))


def same_things(held: list[Any], now: list[Any]) -> bool:
    return len(held) == len(now) and all(a is b for a, b in zip(held, now, strict=True))
