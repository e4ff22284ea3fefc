"""The check files of an assignment as a package that is not on the module search path."""

from __future__ import annotations

import importlib
import sys
from itertools import count
from pathlib import Path
from types import ModuleType

from autograder.checking.battery import Battery

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
        importlib.invalidate_caches()

    def close(self) -> None:
        """Lets go of its modules, which would stay as long as this process lives."""
        for name in [*sys.modules]:
            if name.partition(".")[0] == self._name:
                del sys.modules[name]

    def module(self, path: Path) -> ModuleType:
        """The module of the file `path`, with the checks of its battery if it has one."""
        module = importlib.import_module(f"{self._name}.{path.stem}")
        for battery in [found for found in vars(module).values() if isinstance(found, Battery)]:
            for name, check in battery.checks().items():
                vars(module).setdefault(name, check)
        return module
