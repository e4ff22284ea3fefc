"""A check service that runs as its users run it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

PATIENCE = 120  # seconds
HERE = "http://127.0.0.1"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@contextmanager
def serving(
    folder: Path, *options: str, hub: Mapping[str, str] | None = None
) -> Iterator[tuple[httpx.Client, subprocess.Popen[str]]]:
    """A service of the course in `folder`, until it is told to end; a client that asks it.

    Args:
        hub: what a hub has in the service's environment, and where it is to listen.
    """
    place = ["--port", str(free_port())] if hub is None else []
    url = f"{HERE}:{place[1]}/" if hub is None else _address(hub)
    process = subprocess.Popen(
        [sys.executable, "-m", "autograder", "serve", "--jobs", "1", *place, *options],
        cwd=folder,
        env={**os.environ, **(hub or {})},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == "autograder: the check service starts its workers\n"
        said = f"autograder: the check service answers at {url} (Ctrl-C ends it)\n"
        assert process.stderr.readline() == said
        with httpx.Client(base_url=url, timeout=PATIENCE) as client:
            yield client, process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)


def _address(hub: Mapping[str, str]) -> str:
    return hub["JUPYTERHUB_SERVICE_URL"] + hub["JUPYTERHUB_SERVICE_PREFIX"]
