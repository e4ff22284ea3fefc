"""IPython's shell with the habits of a kernel: what it shows, awaits, refuses, and stops at.

Differences from a kernel, on purpose: `exit()` ends nothing; an update of a display that an earlier
cell made is lost; widgets have no front end, so `tqdm.auto` draws its bar as text; plots are shown
inline, whatever the cell asks for; behind what is not installed a cell goes on (see `imports`).
"""

# mypy: disable-error-code="no-untyped-call"
# (IPython is typed in part only)

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from IPython.core import page
from IPython.core.autocall import ZMQExitAutocall
from IPython.core.error import UsageError
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from traitlets import Bool, Instance, Type, default

from autograder.box.inside.commands import run_command
from autograder.box.inside.compiler import Compiler
from autograder.box.inside.displays import (
    KernelDisplayHook,
    KernelDisplayPublisher,
    flush_streams,
)
from autograder.box.inside.imports import left_without
from autograder.box.inside.outputs import Recorder
from autograder.box.inside.tracebacks import shortened
from autograder.box.inside.transformers import Transformers, noting_warnings

INLINE = "module://matplotlib_inline.backend_inline"
WITHOUT_WINDOWS = {None, "auto", "inline", "agg", "cairo", "pdf", "pgf", "ps", "svg"}


class KernelShell(InteractiveShell):
    """A shell whose outputs go to its `recorder`.

    Attributes:
        did_without: what errors said behind which the cell at hand went on.
    """

    displayhook_class = Type(KernelDisplayHook)
    display_pub_class = Type(KernelDisplayPublisher)
    compiler_class = Type(Compiler)
    compile: Compiler
    autoindent = Bool(False)
    exiter = Instance(ZMQExitAutocall)
    input_transformer_manager = Instance(Transformers, ())

    def __init__(self, **settings: Any) -> None:
        self.recorder = Recorder()
        self.did_without: list[str] = []
        self._missing: set[str] = set()
        self._answers_at_once = ""  # the latest cell that need not be awaited
        super().__init__(**settings)

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
        failed = False
        if isinstance(compiler, Compiler):
            compiler = compiler.statements
        for place, node in enumerate(nodelist, start=1):
            is_last = place == len(nodelist)
            shown = interactivity if is_last or interactivity == "all" else "none"
            if await super().run_ast_nodes([node], cell_name, shown, compiler, result):
                failed = True
                error = result.error_in_exec if result else None
                missed = left_without(node, error, self._missing)
                if missed is None:
                    break
                self._missing |= missed
                if not is_last:
                    self.did_without.append(str(error))
        return failed

    def meet_early_imports(self) -> None:
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

    def init_magics(self) -> None:
        """Lets those that install something run wherever `!` does."""
        super().init_magics()
        self.find_line_magic("pip")  # those of conda come with it, where they are not there yet
        for installer in ("conda", "mamba", "micromamba"):
            command = partial(self._run_installer, installer)
            self.magics_manager.register_function(command, magic_name=installer)

    def _run_installer(self, installer: str, line: str) -> None:
        self.system(f"{installer} {line}")

    def enable_matplotlib(self, gui: str | None = None) -> tuple[str | None, str]:
        """As its base, but inline where a window, or a page's front end, is asked for."""
        if gui not in WITHOUT_WINDOWS:
            told = f"Matplotlib's {gui!r} is not there while grading: plots are drawn inline."
            print(told, file=sys.stderr)
            self.did_without.append(told)
            gui = "inline"
        enabled: tuple[str | None, str] = super().enable_matplotlib(gui)
        return enabled

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
