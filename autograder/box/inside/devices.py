"""Whether an answer would stay on a device that is not the CPU, told on a machine with none.

Theory of operation. The meta device stands in for any other. It holds no numbers, so that an answer
which looks at one cannot be followed there. Such an answer is followed on the CPU instead: what it
makes of Python's numbers without naming a device would lie on the CPU, wherever its inputs lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import torch

from autograder.box.inside.overriding import last_name, over

Stays = Literal["same", "other", "unknown"]

UNCHECKED = ("embedding",)
MOVES = ("to", "type_as")
MIXING = ("is not on the expected device", "to be on the same device")

Asked = Callable[[Any, dict[str, torch.Tensor]], list[Any]]  # what a subject returns for its inputs


def stays_on_meta(subject: Any, inputs: dict[str, torch.Tensor], asked: Asked) -> Stays:
    """Whether a function or module, which is moved there, stays on the meta device."""
    if isinstance(subject, torch.nn.Module):
        subject.to("meta")  # an answer's own may return nothing
    mixed: list[str] = []
    try:
        with _noting_mixed(mixed):
            parts = asked(subject, {name: one.to("meta") for name, one in inputs.items()})
    except Exception as error:
        return "other" if any(said in str(error) for said in MIXING) else "unknown"
    places = {part.device.type for part in _tensors(parts)}
    return "same" if places <= {"meta"} and not mixed else "other"


def leaves_by_numbers(subject: Any, inputs: dict[str, torch.Tensor], asked: Asked) -> bool:
    """Whether what it returns is made of numbers that were read, with no device named."""
    own = list(inputs.values())
    if isinstance(subject, torch.nn.Module):
        own += [*subject.parameters(), *subject.buffers()]
    places = _Places(own)
    try:
        with over(places.note):
            parts = asked(subject, inputs)
        return not all(map(places.follows, _tensors(parts)))
    except Exception:
        return False


@contextmanager
def _noting_mixed(mixed: list[str]) -> Iterator[None]:
    """Notes functions given tensors of several devices, which the meta device lets pass."""

    def note(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if (name := last_name(func)) in UNCHECKED:
            places = {one.device for one in _tensors([args, kwargs])}
            mixed.extend([name] * (len(places) > 1))
        return func(*args, **kwargs)

    with over(note):
        yield


class _Places:
    """Which tensors follow the inputs: those that a tensor or a named device has brought there.

    Of a tensor that no function of torch has made nothing is known, but that NumPy's do not.
    """

    def __init__(self, own: Iterable[torch.Tensor]) -> None:
        self._known = {id(one): (one, True) for one in own}

    def follows(self, one: torch.Tensor) -> bool:
        known = self._known.get(id(one))
        return known[1] if known else one.untyped_storage().resizable()  # NumPy's memory is not

    def note(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a function of torch, and notes what it makes."""
        result, given = func(*args, **kwargs), list(_tensors([args, kwargs]))
        place = _place(last_name(func), args, kwargs)
        for one in _tensors([result]):
            if place is not None:
                follows = not isinstance(place, str) or place != "cpu"
            elif any(one is other for other in given):
                follows = self.follows(one)
            else:
                follows = any(map(self.follows, given))
            self._known[id(one)] = one, follows
        return result


def _place(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The device that a call names, or what stands for it; None where it names none."""
    if name in ("cpu", "cuda"):
        return name
    named = [*args[1:], *kwargs.values()] if name in MOVES else [kwargs.get("device")]
    return next((one for one in named if one is not None and _is_place(one)), None)


def _is_place(one: Any) -> bool:
    return isinstance(one, str | torch.device | torch.Tensor)


def _tensors(things: Any) -> Iterator[torch.Tensor]:
    """All tensors in lists, tuples and dictionaries of them."""
    if isinstance(things, torch.Tensor):
        yield things
    elif isinstance(things, dict):
        yield from _tensors(list(things.values()))
    elif isinstance(things, list | tuple):
        for thing in things:
            yield from _tensors(thing)
