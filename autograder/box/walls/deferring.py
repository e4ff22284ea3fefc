"""torch's compiler, loaded when something is compiled: a third of the time that torch takes.

Theory of operation. Every optimizer imports `torch._dynamo`, to say that its own steps are not to
be compiled, and most notebooks compile nothing. So what it finds is a module that knows only these
words. Asked for anything else, as by `torch.compile`, it becomes the real module, in place, and is
told again what it was told until then.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

import torch

COMPILER = "torch._dynamo"
KEPT = "__dynamo_disable"
"""Where torch keeps what `disable` made of a function of its own (`torch._compile`)."""
OF_ALL = frozenset({"__path__", "__all__"})
"""Dunder names that only the executed module has; no other dunder name executes it."""

Function = Callable[..., Any]


def defer_compiler() -> None:
    """Defers it, unless it is loaded."""
    if COMPILER not in sys.modules and (spec := find_spec(COMPILER)):
        module = _Deferred(COMPILER)
        vars(module).update(vars(module_from_spec(spec)), told=[])
        del vars(module)["__path__"]
        sys.modules[COMPILER] = torch._dynamo = module


class _Deferred(ModuleType):
    """A module that has not been executed.

    Attributes:
        told: the functions that shall not be compiled, and whether what they call shall not, too.
    """

    told: list[tuple[Function, bool]]

    def disable(self, fn: Function | None = None, recursive: bool = True, **others: Any) -> Any:
        """Hands torch's own functions back as they are: nothing is compiled."""
        if fn is None or others != {"wrapping": False}:
            return self._executed().disable(fn, recursive, **others)
        self.told.append((fn, recursive))
        return fn

    def graph_break(self, msg: str = "") -> None:
        """Ends what is compiled until here: nothing is."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in OF_ALL:
            raise AttributeError(name)
        return getattr(self._executed(), name)

    def _executed(self) -> Any:
        told = vars(self).pop("told")
        self.__class__ = ModuleType  # type: ignore[assignment]
        real: Any = importlib.reload(self)
        for fn, recursive in told:
            setattr(fn, KEPT, real.disable(fn, recursive, wrapping=False))
        return real
