"""Runs the hidden checks of an assignment with pytest, in the grader's process."""

from __future__ import annotations

import inspect
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from autograder.checking.asking import Student
from autograder.checking.comparing import comparisons
from autograder.checking.expected import Expected
from autograder.course.cells import CHECK_PREFIX
from autograder.errors import (
    AutograderError,
    BrokenCheck,
    Ungraded,
    Unready,
    UsageError,
    ZygoteGone,
)
from autograder.grading.check_package import CheckPackage
from autograder.grading.findings import Findings, broken, place_of
from autograder.grading.patience import Patience

CHECK_SECONDS = 30.0  # of the grader's processor, a hundred times what the longest takes


# Of pytest's own plugins only those stay that collect and run tests.
_UNUSED = (
    "cacheprovider",
    "capture",
    "debugging",
    "doctest",
    "faulthandler",
    "junitxml",
    "legacypath",
    "logging",
    "monkeypatch",
    "nose",
    "pastebin",
    "pytester",
    "recwarn",
    "setuponly",
    "setupplan",
    "skipping",
    "stepwise",
    "subtests",
    "terminal",
    "threadexception",
    "tmpdir",
    "unittest",
    "unraisableexception",
    "warnings",
)


# In the environment of whoever grades these are meant for tests of their own.
_FOR_OTHER_TESTS = ("PYTEST_ADDOPTS", "PYTEST_DEBUG", "PYTEST_PLUGINS")


class Judge:
    """The checks in some files, collected once, for any number of submissions.

    Theory of operation. pytest collects the checks and ends without running one. Its items stay,
    and each judgement sends them through pytest's own protocol of running a test, which makes
    their fixtures anew. Threads that judge at a time wait for each other.
    """

    def __init__(self, files: Sequence[Path], package: CheckPackage) -> None:
        """Collects the checks in `files`, which are modules of `package`.

        Raises:
            Unready: Python takes the assertions out of checks.
            UsageError: a file has no checks.
            BrokenCheck: a file cannot be imported.
        """
        if not __debug__:
            raise Unready("under `python -O` checks assert nothing: unset PYTHONOPTIMIZE")
        self._plugin = _Judge(package)
        self._one_at_a_time = threading.Lock()
        arguments = [
            *(str(file) for file in files),
            "--disable-plugin-autoload",
            "--assert=plain",
            "--noconftest",
            f"--rootdir={files[0].parent}",
            f"--confcutdir={files[0].parent}",  # else all that lies beside folders above is listed
            f"--config-file={os.devnull}",
            "--override-ini=python_files=check_*.py",
            "--override-ini=python_functions=check_*",
            *(f"-pno:{name}" for name in _UNUSED),
        ]
        with _without_options_of_others():
            code = pytest.main(arguments, plugins=[self._plugin])
        self._raise_fault()
        if code is not pytest.ExitCode.OK:
            raise Ungraded(f"the checks could not be run: pytest ended with {code!r}")
        self._items: dict[str, list[pytest.Item]] = {}
        for item in self._plugin.items:
            self._items.setdefault(_slug(item.path), []).append(item)
        if empty := [file for file in files if _slug(file) not in self._items]:
            raise UsageError(
                f"{empty[0].name} has no checks: it needs a Battery, or a function whose name "
                "begins with check_"
            )

    def aspects(self, slug: str) -> dict[str, str]:
        """By check of a battery of the question `slug`, the aspect that it looks at."""
        marked = ((_name(item), item.get_closest_marker("points")) for item in self._items[slug])
        return {name: m.kwargs["aspect"] for name, m in marked if m and "aspect" in m.kwargs}

    def overlooked(self, slug: str) -> str:
        """What may be meant to count in the file of a question, and does not: ends a sentence."""
        items = self._items[slug]
        module = items[0].getparent(_CheckModule)
        named = vars(module.obj).items() if module else ()
        unmarked = [item.name for item in items if item.get_closest_marker("points") is None]
        others = [
            name
            for name, made in named
            if inspect.isfunction(made) and not name.startswith(CHECK_PREFIX)
            if name.startswith("test_") or hasattr(made, "pytestmark")
        ]
        return "".join(
            [
                *(f"; {name} has no `@points`" for name in unmarked),
                *(f"; the name of {name} does not begin with {CHECK_PREFIX}" for name in others),
            ]
        )

    def findings(
        self,
        slug: str,
        student: Student,
        expected_of: Callable[[str], Expected],
        begin: Callable[[str, str], None] = lambda slug, check: None,
        only: str | None = None,
    ) -> Findings:
        """What the checks of the question `slug` found.

        Args:
            begin: is told the slug and the name of each check before it runs.
            only: the one check to run; None runs all.

        Raises:
            Ungraded: a check cannot run at all.
            ZygoteGone: there is no zygote to ask any more.
        """
        plugin = self._plugin
        items = [item for item in self._items.get(slug, ()) if only is None or _name(item) == only]
        with self._one_at_a_time:
            plugin.prepare(student, expected_of, begin)
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if isinstance(plugin.cause, ZygoteGone):
                raise plugin.cause
            self._raise_fault()
            return plugin.findings

    def _raise_fault(self) -> None:
        if self._plugin.fault is not None:
            raise self._plugin.fault from self._plugin.cause


@contextmanager
def _without_options_of_others() -> Iterator[None]:
    kept = {name: os.environ.pop(name) for name in _FOR_OTHER_TESTS if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


class _CheckModule(pytest.Module):
    """A check file that is imported as a module of its assignment's package."""

    package: CheckPackage

    def _getobj(self) -> ModuleType:  # pytest lets subclasses say where their object comes from
        return self.package.module(self.path)


class _Judge:
    """The pytest plugin that gives checks their fixtures and notes what each one found."""

    def __init__(self, package: CheckPackage) -> None:
        self._package = package
        self._patience = Patience(CHECK_SECONDS)
        self.items: list[pytest.Item] = []
        self.findings = Findings()
        self.fault: Ungraded | None = None
        self.cause: BaseException | None = None

    def prepare(
        self,
        student: Student,
        expected_of: Callable[[str], Expected],
        begin: Callable[[str, str], None],
    ) -> None:
        """Forgets what was found last."""
        self._student = student
        self._expected_of = expected_of
        self._begin = begin
        self.findings, self.fault, self.cause = Findings(), None, None

    def pytest_pycollect_makemodule(
        self, module_path: Path, parent: pytest.Collector
    ) -> pytest.Module:
        """Has every check file imported by its package."""
        module: _CheckModule = _CheckModule.from_parent(parent, path=module_path)
        module.package = self._package
        return module

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Keeps the checks instead of running them."""
        self.items = session.items
        return True

    @pytest.fixture
    def student(self) -> Student:
        return self._student

    @pytest.fixture
    def expected(self) -> Expected:
        return self._expected_of(self._slug)

    def pytest_configure(self, config: pytest.Config) -> None:
        config.option.tbstyle = "line"  # nobody reads the arguments of every call, spelled out
        config.addinivalue_line("markers", "points(n, text, aspect): worth, and what it rests on")
        config.addinivalue_line("markers", "values: only the answer's own numbers pass the check")

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        comparisons.clear()
        self._slug = _slug(item.path)
        self._begin(self._slug, _name(item))

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self) -> Iterator[None]:
        with self._patience.with_this_thread():
            return (yield)

    def pytest_exception_interact(
        self, node: pytest.Item | pytest.Collector, call: pytest.CallInfo[Any]
    ) -> None:
        if isinstance(node, _CheckModule) and call.excinfo and self.fault is None:
            error = call.excinfo.value
            said = f"{type(error).__name__}: {error}{place_of(error, node.path.parent)}"
            self.fault = BrokenCheck(f"the check file {node.name} cannot be imported: {said}")
            self.cause = error

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
        error = call.excinfo.value if call.excinfo else None
        if call.when == "call" and not isinstance(error, AutograderError):
            self._note(item, error)
        elif error is not None and self.fault is None:
            self.cause = error
            self.fault = broken(item.name, _slug(item.path), error, item.path.parent)
            if isinstance(error, pytest.FixtureLookupError):
                self.fault = BrokenCheck(
                    f"the check {item.name} of {_slug(item.path)} has the parameter "
                    f"`{error.argname}`: it is given `student` and `expected` alone"
                )

    def _note(self, item: pytest.Item, error: BaseException | None) -> None:
        name, marker = _name(item), item.get_closest_marker("points")
        points = float(marker.args[0]) if marker else 0.0
        self.findings.note(name, _title(item), points, error, list(comparisons))
        if item.get_closest_marker("values"):
            self.findings.of_values.add(name)


def _name(item: pytest.Item) -> str:
    return item.name.removeprefix(CHECK_PREFIX)


def _title(item: pytest.Item) -> str:
    assert isinstance(item, pytest.Function)
    return (item.function.__doc__ or item.name).strip().partition("\n")[0]


def _slug(path: Path) -> str:
    return path.stem.removeprefix(CHECK_PREFIX)
