"""Runs cells in this process and returns the outputs that a kernel driven by nbclient would give.

Theory of operation. The zygote makes the shell; a box, its forked child, calls `run_source` once a
cell. The first call settles the shell in its process: streams, file descriptors 1 and 2, event
loop, environment. Every cell runs inside the one event loop, as in a kernel, so that code without
`await` finds it running too. No thread, no socket but the loop's own pair, no history file.

Differences from a kernel, on purpose: `exit()` ends nothing; an update of a display that an earlier
cell made is lost; widgets have no front end, so `tqdm.auto` draws its bar as text; behind an import
of what is not installed a cell goes on (see `imports`).
"""

# mypy: disable-error-code="no-untyped-call"
# (IPython is typed in part only)

from __future__ import annotations

import ast
import asyncio
import builtins
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from IPython.core import page
from IPython.core.autocall import ZMQExitAutocall
from IPython.core.error import StdinNotImplementedError, UsageError
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from traitlets import Bool, Instance, Type, default
from traitlets.config import Config

from autograder.box.inside.commands import OFFLINE, run_command
from autograder.box.inside.compiler import Compiler
from autograder.box.inside.displays import (
    KernelDisplayHook,
    KernelDisplayPublisher,
    flush_streams,
)
from autograder.box.inside.imports import at_once, left_without
from autograder.box.inside.outputs import OutStream, Recorder
from autograder.box.inside.tracebacks import shortened
from autograder.box.inside.transformers import Transformers, noting_warnings
from autograder.box.wire import class_name

INLINE = "module://matplotlib_inline.backend_inline"
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


@dataclass(frozen=True)
class CellRun:
    """What a cell left behind.

    Attributes:
        outputs: nbformat 4 outputs, in order; consecutive text of one stream is one output.
        execution_count: the number of the cell.
        error: name of the last exception that ended the cell or, behind an import of what is not
            installed, a statement of it; None when there was none.
        truncated: outputs beyond the cap were cut or dropped.
    """

    outputs: list[dict[str, Any]]
    execution_count: int
    error: str | None
    truncated: bool


class BoxShell(InteractiveShell):
    """An IPython shell whose cells answer with what they put out; see the module's docstring."""

    displayhook_class = Type(KernelDisplayHook)
    display_pub_class = Type(KernelDisplayPublisher)
    compiler_class = Type(Compiler)
    compile: Compiler
    autoindent = Bool(False)
    exiter = Instance(ZMQExitAutocall)
    input_transformer_manager = Instance(Transformers, ())

    def __init__(self, **settings: Any) -> None:
        self.recorder = Recorder()
        self._missing: set[str] = set()
        self._answers_at_once = ""  # the latest cell that need not be awaited
        self._pid: int | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        super().__init__(**settings)

    def warm(self) -> None:
        """Does before the fork what every box would otherwise do for its first cell."""
        self._meet_early_imports()
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
            self._settle(output_bytes)
        try:
            return self._record(source, output_bytes)
        except BaseException as problem:  # student code broke the shell itself
            return CellRun([], 0, _name(problem), False)

    def _record(self, source: str, output_bytes: int) -> CellRun:
        self.recorder.begin(output_bytes)
        count = self.execution_count
        try:
            error = self._event_loop().run_until_complete(self._run(source))
        except BaseException as problem:
            error = problem
        outputs, truncated = self.recorder.end()
        with suppress(BaseException):
            self._event_loop().run_until_complete(_idle())
        return CellRun(outputs, count, _name(error), truncated)

    def _settle(self, output_bytes: int) -> None:
        """Makes this process the shell's own; an OSError here is a fault of the box."""
        os.environ.update(ENVIRONMENT)
        if "" not in sys.path:
            packages = [Path(entry).name.endswith("-packages") for entry in sys.path]
            sys.path.insert(packages.index(True) if True in packages else len(packages), "")
        self.recorder.capture(output_bytes)
        sys.stdout = OutStream(self.recorder, "stdout")
        sys.stderr = OutStream(self.recorder, "stderr")
        builtins.input = _no_input
        self._meet_early_imports()
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

    def should_run_async(
        self, raw_cell: str, *, transformed_cell: Any = None, preprocessing_exc_tuple: Any = None
    ) -> bool:
        """As its base, which compiles the cell to find out, and is asked twice."""
        if transformed_cell == self._answers_at_once:
            return False
        waits = self._prepared(raw_cell, transformed_cell)
        if waits is not None:
            self._answers_at_once = "" if waits else transformed_cell
            return waits
        with noting_warnings(shown=True) as warned:
            waits = super().should_run_async(
                raw_cell,
                transformed_cell=transformed_cell,
                preprocessing_exc_tuple=preprocessing_exc_tuple,
            )
        if not (waits or warned):  # a kernel shows a warning as often as it asks
            self._answers_at_once = transformed_cell
        return bool(waits)

    def _prepared(self, raw: str, transformed: str | None) -> bool | None:
        """Whether a cell of plain Python waits; None where it was not compiled to find out."""
        manager: Transformers = self.input_transformer_manager
        tree = manager.tree(transformed) if transformed else None
        if transformed is None or tree is None or not self.autoawait:
            return None
        name = self.compile.get_code_name(raw, transformed, self.execution_count)
        return self.compile.prepare(tree, transformed, name)

    def transform_ast(self, node: ast.AST) -> ast.AST:
        """See its base; what a transformer may have changed is compiled anew."""
        if self.ast_transformers:
            self.compile.forget()
        transformed: ast.AST = super().transform_ast(node)
        return transformed

    async def run_ast_nodes(
        self,
        nodelist: list[ast.stmt],
        cell_name: str,
        interactivity: str = "last_expr",
        compiler: Any = compile,
        result: ExecutionResult | None = None,
    ) -> bool:
        """As its base does, which stops at the first error; whether there was any."""
        failed, rest = False, nodelist
        if isinstance(compiler, Compiler):
            compiler = compiler.statements
        while rest:
            size = at_once(rest, self._missing)
            now, rest = rest[:size], rest[size:]
            shown = "none" if rest and interactivity != "all" else interactivity
            if await super().run_ast_nodes(now, cell_name, shown, compiler, result):
                failed = True
                error = result.error_in_exec if result else None
                missed = left_without(now[-1], error, self._missing)
                if missed is None:
                    break
                self._missing |= missed
        return failed

    def _meet_early_imports(self) -> None:
        """Does for libraries imported before the shell what they do when they find one."""
        if "pandas" in sys.modules:
            sys.modules["pandas"].set_option("display.max_columns", 20)
        if "matplotlib.pyplot" in sys.modules:
            from IPython.core.pylabtools import activate_matplotlib
            from matplotlib_inline.backend_inline import configure_inline_support, flush_figures

            if flush_figures not in self.events.callbacks["post_execute"]:
                activate_matplotlib(INLINE)
                configure_inline_support(self, INLINE)
        elif "matplotlib" in sys.modules:
            sys.modules["matplotlib"].rcParams["backend"] = INLINE

    def system_piped(self, cmd: str) -> None:
        """Runs `!cmd`, in a terminal of its own where the box has them."""
        if cmd.rstrip().endswith("&"):
            raise OSError("Background processes not supported.")
        self.user_ns["_exit_code"] = run_command(self.var_expand(cmd, depth=1))

    system = system_piped

    def _get_exc_info(self, exc_tuple: Any = None) -> tuple[Any, Any, Any]:
        kind, error, traceback = super()._get_exc_info(exc_tuple)
        if traceback is not (short := shortened(traceback)):
            error.with_traceback(short)  # from where the history takes it
        return kind, error, short

    def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
        flush_streams()
        self.recorder.display(
            {
                "output_type": "error",
                "ename": etype.__name__,
                "evalue": str(evalue),
                "traceback": [str(line) for line in stb],
            }
        )

    @contextmanager
    def _tee(self, channel: str) -> Iterator[None]:
        """Keeps no second copy of the streams for the history."""
        yield

    @default("exiter")
    def _exiter_default(self) -> ZMQExitAutocall:
        return ZMQExitAutocall(self)

    def ask_exit(self) -> None:
        """Does nothing: the box ends when the grader says so."""

    def enable_gui(self, gui: str | None = None) -> None:
        """Accepts the requests that need no window."""
        if gui not in {None, "inline", "asyncio"}:
            raise UsageError(f"Invalid GUI request {gui!r}: a box has no windows.")

    def init_hooks(self) -> None:
        """Shows nothing in the pager: nbclient keeps nothing of it."""
        super().init_hooks()
        self.set_hook("show_in_pager", page.as_hook(lambda *_, **__: None), 99)

    def init_virtualenv(self) -> None:
        """Looks for no virtual environment, as a kernel does not."""


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
