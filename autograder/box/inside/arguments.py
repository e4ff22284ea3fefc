"""Calls of an instructor's function by who knows a student's, which takes other arguments."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import torch


def taken_as(
    own: Callable[..., Any], taking: Callable[..., Any], handed: Mapping[str, str]
) -> Callable[..., Any]:
    """`own` behind the parameters of `taking`.

    What is not handed on is dropped, but for tensors: a mask where none belongs stays a mistake.

    Args:
        handed: to which parameter of `own` each goes.
    """
    signature = inspect.signature(taking)
    named = [p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD]

    @functools.wraps(own)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:  # called as the question says, by whom does not know the student's
            return own(*args, **kwargs)
        for name in named:
            given |= given.pop(name, {})
        kept = {n: value for n, value in given.items() if n in handed or _holds_tensor(value)}
        return own(**{handed.get(name, name): value for name, value in kept.items()})

    return called


def _holds_tensor(value: Any) -> bool:
    several = value if isinstance(value, tuple) else (value,)
    return any(isinstance(one, torch.Tensor) for one in several)
