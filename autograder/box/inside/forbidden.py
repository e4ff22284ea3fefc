"""Which functions of torch an answer calls that its question rules out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch.overrides import TorchFunctionMode, resolve_name


@contextmanager
def noticing(names: Sequence[str], used: list[str]) -> Iterator[None]:
    """Notes in `used` which torch functions of these last names are called, however imported."""
    if not names:
        yield
        return

    class Notice(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            name = (resolve_name(func) or "").rpartition(".")[2]
            if name in names:
                used.append(name)
            return func(*args, **(kwargs or {}))

    with Notice():
        yield
