"""What a cell puts out, gathered as a kernel sends it and as nbclient keeps it.

Theory of operation. Text waits in one buffer per stream until the stream is flushed, a display is
published or the cell ends; stdout goes before stderr then, as in a kernel. File descriptors 1 and 2
point at memory files of fixed size, which are read and emptied before each of these moments, so
that text of C code and of subprocesses takes its place without a thread. Text that arrives while no
cell runs, or from a task that an earlier cell started, is dropped, as nbclient drops it. A cell may
keep `output_bytes`; what goes beyond is cut or dropped at once and never held.
"""

from __future__ import annotations

import fcntl
import io
import os
import threading
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from autograder.box.inside.bundles import as_json, note_for, prepared
from autograder.box.wire import MAX_OUTPUTS

STREAMS = {"stdout": 1, "stderr": 2}  # in the order in which a kernel flushes them
STREAM_OUTPUT_BYTES = 64  # what one more stream output costs besides its text
PAGE_BYTES = 4096

_owner: ContextVar[int] = ContextVar("_owner")  # number of the cell that started the running code


class Recorder:
    """The outputs of the running cell, at most `output_bytes` and MAX_OUTPUTS of them."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._descriptors: dict[str, CapturedDescriptor] = {}
        self._cell = 0
        self._running = False
        self._start(0)

    def _start(self, output_bytes: int) -> None:
        self._output_bytes = self._room = output_bytes
        self._truncated = self._noted = False
        self._pending = {name: io.StringIO() for name in STREAMS}
        self._forget()

    def _forget(self) -> None:
        self._outputs: list[dict[str, Any]] = []
        self._tail: io.StringIO | None = None  # the text of a last output that is a stream
        self._displays: dict[str, list[dict[str, Any]]] = {}
        self._clear_next = False

    def capture(self, output_bytes: int) -> None:
        """Points file descriptors 1 and 2 at this recorder, for the rest of the process.

        A box does so before it is confined, which takes away files in memory. Raises OSError.
        """
        self._descriptors = {
            name: CapturedDescriptor(fd, output_bytes) for name, fd in STREAMS.items()
        }

    def begin(self, output_bytes: int) -> None:
        """Starts a cell; what came since the last one is dropped."""
        for descriptor in self._descriptors.values():
            descriptor.drain()
        self._start(output_bytes)
        self._cell += 1
        self._running = True

    def own(self) -> None:
        """Says that what the calling context and its tasks put out belongs to this cell."""
        _owner.set(self._cell)

    def stop(self) -> None:
        """Ends the cell: nothing belongs to it any more."""
        with self._lock:
            if self._running:
                for name in STREAMS:
                    self._flush(name)
                self._seal()
            self._running = False

    def end(self) -> tuple[list[dict[str, Any]], bool]:
        """Ends the cell: its outputs, and whether any were cut or dropped."""
        self.stop()
        outputs, truncated = self._outputs, self._truncated or self._noted
        self._start(0)
        return outputs, truncated

    def _accepts(self) -> bool:
        return self._running and _owner.get(self._cell) == self._cell

    def write(self, name: str, text: str) -> None:
        """Adds text to a stream."""
        if self._accepts() and not self._truncated:
            with self._lock:
                self._take_descriptor(name)
                self._take(name, text)

    def flush(self, name: str) -> None:
        """Turns the waiting text of a stream into an output."""
        if self._accepts():
            with self._lock:
                self._flush(name)

    def display(self, output: dict[str, Any], display_id: str | None = None) -> None:
        """Adds an output that is no stream.

        Raises:
            TypeError, ValueError: the output cannot be written as JSON.
        """
        if self._truncated or not self._accepts():
            return
        plain, size = prepared(output)
        with self._lock:
            if display_id is not None:
                self._update(display_id, plain)
            self._clear_if_due()
            if size > self._room:
                plain, size = note_for(plain, size)
                self._noted = True
            if self._spend(size):
                self._append(plain)
                if display_id is not None:
                    self._displays.setdefault(display_id, []).append(plain)

    def update(self, display_id: str, output: dict[str, Any]) -> None:
        """Replaces displays of the running cell; those of earlier cells have left the box."""
        if not self._truncated and self._accepts():
            plain, _ = prepared(output)
            with self._lock:
                self._update(display_id, plain)

    def clear(self, wait: bool) -> None:
        """Clears the outputs of the cell, now or when the next one comes."""
        if not self._accepts():
            return
        with self._lock:
            if wait:
                self._clear_next = True
            else:
                self._clear_now()

    def _clear_if_due(self) -> None:
        if self._clear_next:
            self._clear_now()

    def _clear_now(self) -> None:
        self._forget()
        waiting = sum(len(_encoded(buffer.getvalue())) for buffer in self._pending.values())
        self._room = self._output_bytes - waiting

    def _spend(self, size: int) -> bool:
        if size > self._room or len(self._outputs) >= MAX_OUTPUTS:
            self._truncated = True
        if not self._truncated:
            self._room -= size
        return not self._truncated

    def _take_descriptor(self, name: str) -> None:
        descriptor = self._descriptors.get(name)
        if descriptor is not None and (text := descriptor.drain()):
            self._take(name, text)

    def _take(self, name: str, text: str) -> None:
        if self._truncated:
            return
        piece = text[: self._room + 1]
        if not piece.isascii():
            piece = _encoded(piece).decode()
        size = len(piece) if piece.isascii() else len(piece.encode())
        if size > self._room:
            piece = piece.encode()[: self._room].decode(errors="ignore")
            size, self._truncated = self._room, True
        self._room -= size
        self._pending[name].write(piece)

    def _flush(self, name: str) -> None:
        self._take_descriptor(name)
        text = self._pending[name].getvalue()
        if not text:
            return
        self._clear_if_due()
        self._pending[name] = io.StringIO()
        if self._tail is None or self._outputs[-1]["name"] != name:
            if len(self._outputs) >= MAX_OUTPUTS:
                self._truncated = True
                return
            self._append({"output_type": "stream", "name": name, "text": ""})
            self._tail = io.StringIO()
            self._room = max(0, self._room - STREAM_OUTPUT_BYTES)
        self._tail.write(text)

    def _append(self, output: dict[str, Any]) -> None:
        self._seal()
        self._outputs.append(output)

    def _seal(self) -> None:
        if self._tail is not None:
            self._outputs[-1]["text"] = without_overwritten(self._tail.getvalue())
            self._tail = None

    def _update(self, display_id: str, new: dict[str, Any]) -> None:
        for output in self._displays.get(display_id, ()):
            if self._spend(as_json(new)[1] - as_json(output)[1]):
                output.update(data=new["data"], metadata=new["metadata"])


class OutStream(io.TextIOBase):
    """`sys.stdout` or `sys.stderr` of a box; its methods do what those of a kernel's stream do."""

    encoding = "UTF-8"

    def __init__(self, recorder: Recorder, name: str) -> None:
        self.name = name
        self._recorder = recorder
        self._pid = os.getpid()
        self._null: int | None = None

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        """A descriptor that leads nowhere: a kernel's leads to the terminal of its server."""
        if self._null is None:
            self._null = os.open(os.devnull, os.O_WRONLY)
        return self._null

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text)}")
        if self.closed:
            raise ValueError("I/O operation on closed file")
        if os.getpid() == self._pid:
            self._recorder.write(self.name, text)
        else:  # a child of the box has its own copy of the recorder, but the same descriptors
            with suppress(OSError):
                os.write(STREAMS[self.name], _encoded(text))
        return len(text)

    def flush(self) -> None:
        if os.getpid() == self._pid:
            self._recorder.flush(self.name)


class CapturedDescriptor:
    """A file descriptor whose text is kept in memory, at most `size` bytes, until it is drained."""

    def __init__(self, fd: int, size: int) -> None:
        self._size = (size // PAGE_BYTES + 2) * PAGE_BYTES
        self._file = os.memfd_create(f"descriptor {fd}", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self._file, self._size)
        fcntl.fcntl(self._file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
        os.dup2(self._file, fd)

    def drain(self) -> str:
        """What was written since the last call; empty when student code closed the file."""
        try:
            size = min(os.lseek(self._file, 0, os.SEEK_CUR), self._size)
            if not size:
                return ""
            data = os.pread(self._file, size, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
        except OSError:
            return ""
        return data.decode(errors="replace")


def without_overwritten(text: str) -> str:
    """`text` without what a carriage return lets later text of the same line overwrite."""
    if "\r" not in text:
        return text
    return "\n".join(line[line.rfind("\r", 0, -1) + 1 :] for line in text.split("\n"))


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")
