"""Running a probe next to the student's code: in the box, or in a live kernel while authoring.

A probe is a function whose source travels; it gets the student's names as its first argument and
returns a dict of tensors, numbers, strings and booleans. Nothing else crosses.
"""

from __future__ import annotations

import contextlib
import os
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import CodeType
from typing import Any, TypeVar

import numpy as np
import torch

from autograder.box.wire import class_name, crossing

Told = TypeVar("Told")
Scalar = int | float | str | bool | None
SCOPE: Mapping[str, Any] = {"torch": torch, "nn": torch.nn, "__name__": "probe"}
"""What a probe finds beside Python's own names."""
PROBE_FILE = "<probe>"
TEXT_CHARS = 2000
LINE_CHARS = 300
TRACEBACK_LINES = 30
FRAMES_OF_TORCH = "\nException raised from "
"""Where in an error's text torch goes on with its C++ stack, whose addresses differ by process."""


class MissingName(Exception):
    """A probe asked for a name that the notebook does not define."""


class Answers:
    """The student's top-level names as attributes."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names

    def __getattr__(self, name: str) -> Any:
        try:
            return self._names[name]
        except KeyError:
            raise MissingName(name) from None


def names_of(answers: Answers) -> Mapping[str, Any]:
    """All of the student's top-level names; no attribute, which could be one of them."""
    return answers._names


@dataclass(frozen=True)
class ProbeRun:
    """What a probe returned, split by what may cross; or the exception that ended it.

    Attributes:
        kinds: the type's name of every value that may not cross, by its key.
        error: name and text of the exception, the student's own lines of its traceback, and the
            number of the probe's line in it; 0 for none.
    """

    tensors: dict[str, torch.Tensor] = field(default_factory=dict)
    values: dict[str, Scalar] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    error: dict[str, Any] | None = None


def run_probe(
    source: str, name: str, names: Mapping[str, Any], inputs: Mapping[str, Any]
) -> ProbeRun:
    """Runs the probe `name` defined by `source` on the student's `names`; never raises.

    A number of numpy's counts as a number.
    """
    scope = dict(SCOPE)
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
                exec(compiled(source), scope)
                probe: Callable[..., dict[str, Any]] = scope[name]
                return _sorted_by_kind(probe(Answers(names), **inputs))
    except BaseException as error:  # student code may raise anything, SystemExit included
        return ProbeRun(error=describe(error))


@cache
def compiled(source: str) -> CodeType:
    """The code of a probe, or of a part of a plan, compiled once however often it is asked for."""
    return compile(source, PROBE_FILE, "exec")


def _sorted_by_kind(found: Mapping[str, Any]) -> ProbeRun:
    run = ProbeRun()
    for key, value in found.items():
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, torch.Tensor):
            run.tensors[key] = value
        elif type(value) is str:
            run.values[key] = crossing(value)
        elif value is None or type(value) in (int, float, bool):
            run.values[key] = value
        else:
            run.kinds[key] = class_name(type(value))
    return run


def describe(error: BaseException) -> dict[str, Any]:
    """Name, text and traceback lines, the student's own and the probe's, of an exception.

    A line that is called again and again stands once, where it was reached last; of an error that
    says there is no end to it, no other line. What the exception does not let be read is left out.
    """
    lines: list[str] = _asked(lambda: _lines(error), [])
    return {
        "name": class_name(type(error))[:TEXT_CHARS],
        "text": _asked(lambda: _text(error), ""),
        "lines": lines,
        "probe_line": _asked(lambda: _line_of_probe(error), 0),
    }


def _asked(ask: Callable[[], Told], otherwise: Told) -> Told:
    """What student code says of itself, or `otherwise` where it raises anything instead."""
    try:
        return ask()
    except BaseException:
        return otherwise


def _text(error: BaseException) -> str:
    return crossing(str(error).partition(FRAMES_OF_TORCH)[0][:TEXT_CHARS])


def _lines(error: BaseException) -> list[str]:
    lines = []
    for frame in traceback.extract_tb(error.__traceback__):
        if _is_cell(frame.filename):
            line = crossing((frame.line or "").strip())
            lines.append(f"line {frame.lineno}: {line}"[:LINE_CHARS])
    if isinstance(error, RecursionError):  # the others are where it happened to stop
        lines = [line for line, times in Counter(lines).items() if times > 1]
    latest = list(dict.fromkeys(reversed(lines)))[:TRACEBACK_LINES]
    return latest[::-1]


def _line_of_probe(error: BaseException) -> int:
    frames = traceback.extract_tb(error.__traceback__)
    return next((f.lineno or 0 for f in reversed(frames) if f.filename == PROBE_FILE), 0)


def _is_cell(filename: str) -> bool:
    return "ipykernel_" in filename or filename.startswith("<ipython-input")
