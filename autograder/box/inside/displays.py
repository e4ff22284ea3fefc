"""The parts of a shell that say what a cell shows, as a kernel's do."""

# mypy: disable-error-code="no-untyped-call"
# (IPython is typed in part only)

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher

if TYPE_CHECKING:
    from autograder.box.inside.shell import BoxShell


def flush_streams() -> None:
    """What was printed before a display comes before it."""
    sys.stdout.flush()
    sys.stderr.flush()


class KernelDisplayHook(DisplayHook):
    shell: BoxShell

    def start_displayhook(self) -> None:
        self._output: dict[str, Any] = {"output_type": "execute_result", "data": {}}

    def write_output_prompt(self) -> None:
        self._output["execution_count"] = self.prompt_count

    def write_format_data(
        self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None
    ) -> None:
        self._output.update(data=format_dict, metadata=md_dict or {})

    def finish_displayhook(self) -> None:
        flush_streams()
        if self._output["data"]:
            self.shell.recorder.display(self._output)


class KernelDisplayPublisher(DisplayPublisher):
    shell: BoxShell

    def publish(  # type: ignore[override]
        self,
        data: dict[str, Any],
        metadata: dict[str, Any] | None = None,
        *,
        transient: dict[str, Any] | None = None,
        update: bool = False,
        **_: Any,
    ) -> None:
        flush_streams()
        self._validate_data(data, metadata)
        output = {"output_type": "display_data", "data": data, "metadata": metadata or {}}
        display_id = (transient or {}).get("display_id")
        if not update:
            self.shell.recorder.display(output, display_id)
        elif display_id is not None:
            self.shell.recorder.update(display_id, output)

    def clear_output(self, wait: bool = False) -> None:
        flush_streams()
        self.shell.recorder.clear(wait)
