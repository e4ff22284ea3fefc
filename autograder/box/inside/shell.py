"""Runs cells in this process and returns the outputs that a kernel driven by nbclient would give.

Theory of operation. The zygote makes the shell; a box, its forked child, calls `run_source` once a
cell. The first call settles the shell in its process: streams, file descriptors 1 and 2, event
loop, environment. Every cell runs inside the one event loop, as in a kernel, so that code without
`await` finds it running too. No thread, no socket but the loop's own pair, no history file.
"""

# mypy: disable-error-code="no-untyped-call"
# (IPython is typed in part only)

from __future__ import annotations

import asyncio
import builtins
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from IPython.core.error import StdinNotImplementedError
from IPython.core.interactiveshell import ExecutionResult
from traitlets.config import Config

from autograder.box.inside.commands import OFFLINE
from autograder.box.inside.kernel import INLINE, KernelShell
from autograder.box.inside.outputs import OutStream
from autograder.box.wire import class_name, crossing

ENVIRONMENT = {
    "TERM": "xterm-color",
    "CLICOLOR": "1",
    "CLICOLOR_FORCE": "1",
    "FORCE_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MPLBACKEND": INLINE,
    **OFFLINE,
}
IDLE_TURNS = 10  # of the event loop between two cells
NAME_CHARACTERS = 200  # kept of an exception's name
TOLD_CHARACTERS = 1000  # kept of its text, where the header has it


@dataclass(frozen=True)
class CellRun:
    """What a cell left behind.

    Attributes:
        outputs: nbformat 4 outputs, in order; consecutive text of one stream is one output.
        execution_count: the number of the cell.
        error: name of the last exception that ended the cell or, where it went on (see `imports`),
            a statement of it; None when there was none.
        truncated: outputs beyond the cap were cut or dropped.
        did_without: what the first error says behind which it went on; empty where there was none.
    """

    outputs: list[dict[str, Any]]
    execution_count: int
    error: str | None
    truncated: bool
    did_without: str = ""


class BoxShell(KernelShell):
    """An IPython shell whose cells answer with what they put out; see the module's docstring."""

    def __init__(self, **settings: Any) -> None:
        self._pid: int | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        super().__init__(**settings)

    def warm(self) -> None:
        """Does before the fork what every box would otherwise do for its first cell."""
        self.meet_early_imports()
        self.transform_cell("0")
        assert self.display_formatter is not None
        self.display_formatter.format(0)
        try:
            raise KeyError
        except KeyError as error:
            self.prepare_to_show(error)

    def prepare_to_show(self, error: Exception) -> None:
        """Reads what the traceback of an error like this one quotes."""
        self.InteractiveTB.structured_traceback(type(error), error, error.__traceback__)

    def run_source(self, source: str, output_bytes: int) -> CellRun:
        """Runs one cell; the box's loop calls this after the fork, and no student code escapes it.

        A child that student code forked and that reaches the end of the cell ends here.
        """
        if self._pid is None:
            self._settle()
        try:
            return self._record(source, output_bytes)
        except BaseException as problem:  # student code broke the shell itself
            return CellRun([], 0, _name(problem), False)

    def _record(self, source: str, output_bytes: int) -> CellRun:
        self.recorder.begin(output_bytes)
        self.did_without.clear()
        count = self.execution_count
        try:
            error = self._event_loop().run_until_complete(self._run(source))
        except BaseException as problem:
            error = problem
        outputs, truncated = self.recorder.end()
        with suppress(BaseException):
            self._event_loop().run_until_complete(_idle())
        without = next(iter(self.did_without), "")[:TOLD_CHARACTERS]
        return CellRun(outputs, count, _name(error), truncated, crossing(without))

    def _settle(self) -> None:
        """Makes this process the shell's own."""
        os.environ.update(ENVIRONMENT)
        if "" not in sys.path:
            packages = [Path(entry).name.endswith("-packages") for entry in sys.path]
            sys.path.insert(packages.index(True) if True in packages else len(packages), "")
        sys.stdout = OutStream(self.recorder, "stdout")
        sys.stderr = OutStream(self.recorder, "stderr")
        builtins.input = _no_input
        sys.breakpointhook = _go_on
        self.meet_early_imports()
        self._event_loop()
        self.own_process()

    def own_process(self) -> None:
        """Makes this process the one in which cells run."""
        self._pid = os.getpid()

    def _event_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
        return self._loop

    async def _run(self, source: str) -> BaseException | None:
        self.recorder.own()
        try:
            return _error(await self._execute(source))
        finally:
            if os.getpid() != self._pid:
                os._exit(0)
            self.recorder.stop()

    async def _execute(self, source: str) -> ExecutionResult | None:
        problem = None
        try:
            transformed = self.transform_cell(source)
        except Exception:
            transformed, problem = source, sys.exc_info()
        how = {"transformed_cell": transformed, "preprocessing_exc_tuple": problem}
        if not self.should_run_async(source, **how):
            done: ExecutionResult | None = self.run_cell(source, store_history=True)
            return done
        result = None
        try:
            result = await asyncio.ensure_future(
                self.run_cell_async(source, store_history=True, **how)
            )
        finally:
            self.events.trigger("post_execute")
            self.events.trigger("post_run_cell", result)
        return result


# pandas, rich and others tell a notebook by the name of its shell.
BoxShell.__name__ = BoxShell.__qualname__ = "ZMQInteractiveShell"


def make_shell(directory: str) -> BoxShell:
    """The shell of this process, made before the fork; `directory` takes IPython's profile."""
    config = Config()
    config.HistoryManager.enabled = False
    config.IPKernelApp.box = True  # others tell a notebook by this section
    shell = BoxShell.instance(ipython_dir=directory, user_ns={}, config=config)
    shell.warm()
    return shell


def _error(result: ExecutionResult | None) -> BaseException | None:
    if result is None:
        return None
    before: BaseException | None = result.error_before_exec
    return result.error_in_exec if before is None else before


def _name(error: BaseException | None) -> str | None:
    return None if error is None else class_name(type(error))[:NAME_CHARACTERS]


async def _idle() -> None:
    """Lets tasks of earlier cells go on, as they do in a kernel between two cells."""
    for _ in range(IDLE_TURNS):
        await asyncio.sleep(0)


def _no_input(prompt: object = "") -> NoReturn:
    raise StdinNotImplementedError(
        "raw_input was called, but this frontend does not support input requests."
    )


def _go_on(*_: object, **__: object) -> None:
    """Stops at no breakpoint: nobody sits there."""
