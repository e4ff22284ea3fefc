"""A check service that runs as its users run it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

PATIENCE = 120  # seconds


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[httpx.Client, subprocess.Popen[str]]]:
    """A service of the course in `folder`, until it is told to end; a client that asks it."""
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "autograder",
        "serve",
        "--port",
        str(port),
        "--jobs",
        "1",
        *options,
    ]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == "autograder: the check service starts its workers\n"
        said = (
            f"autograder: the check service answers at http://127.0.0.1:{port}/ (Ctrl-C ends it)\n"
        )
        assert process.stderr.readline() == said
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
            yield client, process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
