"""Torch functions that are noticed, or do something else, while student code calls them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from torch.overrides import TorchFunctionMode, resolve_name

DROPOUT = ("dropout", "dropout_", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout")
FUSED = "scaled_dot_product_attention"
FUSED_RATE = 4  # where it takes its dropout among its arguments
FUSED_MODULE = "multi_head_attention_forward"

INSTALLED = ("/site-packages/", "/dist-packages/")

Handler = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


def over(handler: Handler) -> TorchFunctionMode:
    """Hands every call of a torch function to `handler`, however the function was imported."""

    class Over(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            return handler(func, args, kwargs or {})

    return Over()


def last_name(func: Any) -> str:
    """The last part of a torch function's public name; private ones have only their `__name__`.

    Of an operator's overloads, as `torch.ops.aten.mm.out`, it is that of the operator.
    """
    operator = getattr(func, "overloadpacket", func)
    name: str = resolve_name(operator) or getattr(operator, "__name__", "")
    return name.rpartition(".")[2]


@contextmanager
def noticing(names: Sequence[str], words: Sequence[str], used: list[str]) -> Iterator[None]:
    """Notes in `used` which functions are called that are not the answer's own.

    These are functions of torch, or of another installed library if they are written in Python,
    whose last names begin as one of the `names` does; and of the latter those, too, whose names,
    with that of their class, hold one of the `words`, in small letters.
    """
    if not names and not words:
        yield
        return
    beginnings = tuple(names)

    def notice(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if (name := last_name(func)).lstrip("_").startswith(beginnings):
            used.append(name)
        return func(*args, **kwargs)

    def notice_frame(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or not any(folder in code.co_filename for folder in INSTALLED):
            return
        if code.co_name.lstrip("_").startswith(beginnings):
            used.append(code.co_name)
        elif any(word in code.co_qualname.lower() for word in words):
            used.append(code.co_qualname)

    before = sys.getprofile()
    sys.setprofile(notice_frame)
    try:
        with over(notice):
            yield
    finally:
        sys.setprofile(before)


@contextmanager
def noting_use(parameters: Container[int], order: dict[int, int]) -> Iterator[None]:
    """Numbers those of the `parameters` that are handed to torch functions, by their first use.

    All are told by their id.
    """

    def note_all(things: Iterable[Any]) -> None:
        for thing in things:
            if id(thing) in parameters:
                order.setdefault(id(thing), len(order))
            elif isinstance(thing, list | tuple):
                note_all(thing)

    def note(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        note_all(args)
        note_all(kwargs.values())
        return func(*args, **kwargs)

    with over(note):
        yield


@contextmanager
def undropped() -> Iterator[list[float]]:
    """Dropout of torch, also that of its fused functions, hands on what it is given.

    The probabilities with which it would have dropped something are listed, one for each call.
    """
    rates: list[float] = []

    def hand_on(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        name = last_name(func)
        if name in DROPOUT:
            given = {**dict(zip(("input", "p", "training"), args, strict=False)), **kwargs}
            rates.append(float(given.get("p", 0.5)) if given.get("training", True) else 0.0)
            return given["input"]
        if name == FUSED:
            late = dict(zip(("dropout_p", "is_causal"), args[FUSED_RATE:], strict=False))
            rates.append(float({**late, **kwargs}.get("dropout_p", 0.0)))
            return func(*args[:FUSED_RATE], **{**late, **kwargs, "dropout_p": 0.0})
        if name == FUSED_MODULE:
            return func(*args, **{**kwargs, "training": False})
        return func(*args, **kwargs)

    with over(hand_on):
        yield rates
    rates[:] = [rate for rate in rates if rate > 0]
