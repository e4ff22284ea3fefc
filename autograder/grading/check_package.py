"""The check files of an assignment as a package that is not on the module search path."""

from __future__ import annotations

import importlib
import io
import sys
import tokenize
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

from autograder.checking.battery import Battery
from autograder.course.notebooks import line_of

_numbers = count(1)


class CheckPackage:
    """The modules in `folder` as they are now; they import each other relatively.

    Each instance is a package under a name of its own, so that files which were edited, or lie in
    another course, are read anew whatever was imported before.
    """

    def __init__(self, folder: Path) -> None:
        package = ModuleType(f"checks_{next(_numbers)}")
        package.__path__ = [str(folder)]
        sys.modules[package.__name__] = package
        self._name = package.__name__
        self._whole: set[Path] = set()
        importlib.invalidate_caches()

    def close(self) -> None:
        """Lets go of its modules, which would stay as long as this process lives."""
        for name in [*sys.modules]:
            if name.partition(".")[0] == self._name:
                del sys.modules[name]

    def module(self, path: Path) -> ModuleType:
        """The module of the file `path`, with the checks of its batteries if it has some.

        Raises:
            ValueError: its bytes are no text; a check of a battery has the name of another check,
                which would hide it; or two batteries would compare with the same expected tensors.
        """
        if path not in self._whole:
            _expect_text(path.read_bytes())
        module = importlib.import_module(f"{self._name}.{path.stem}")
        if path not in self._whole:
            _add_checks(vars(module))
            self._whole.add(path)
        return module


def _expect_text(data: bytes) -> None:
    """Python may pass over such a byte, and then nobody can show or read the source."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"line {line_of(error)} holds a byte that is not UTF-8: save the file as UTF-8"
        ) from error


def _add_checks(names: dict[str, Any]) -> None:
    batteries = dict.fromkeys(found for found in names.values() if isinstance(found, Battery))
    added: dict[str, Any] = {}
    for battery in batteries:
        for name, check in battery.checks().items():
            if name in names or name in added:
                raise ValueError(
                    f"the battery of `{battery.domain.answer}` has a check `{name}`, and so has "
                    "the rest of the file: give its domain a `part` of its own, or your check "
                    "another name"
                )
            added[name] = check
    parts = [battery.domain.part for battery in batteries]
    if twice := [part for part in parts if parts.count(part) > 1]:
        which = f"with the `part` {twice[0]!r}" if twice[0] else "without `part`"
        raise ValueError(
            f"two batteries are of domains {which}, and would compare with the same expected "
            "tensors: give the domain of one a `part` of its own"
        )
    names.update(added)
