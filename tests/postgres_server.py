"""PostgreSQL, by a real server where one is installed."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

START_SECONDS = "60"


def _programs() -> Path | None:
    """The folder of the newest server that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@contextmanager
def databases() -> Iterator[Callable[[str], str]]:
    """What makes an empty database of a name and gives its URL; the server is on no network."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    user = "nobody" if os.geteuid() == 0 else None  # the server refuses to run as root
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    if user:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)

    def call(program: str, *arguments: str) -> None:
        command = [str(programs / program), *arguments]
        subprocess.run(command, cwd=folder, user=user, check=True, stdout=subprocess.DEVNULL)

    def made(name: str) -> str:
        call("createdb", "--host", str(folder), "--username=course", name)
        return f"postgresql+psycopg://course@/{name}?host={folder}"

    data = str(folder / "data")
    call("initdb", "--no-sync", "--username=course", "--auth=trust", "-D", data)
    options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
    log = str(folder / "log")
    call("pg_ctl", "start", "-w", "-t", START_SECONDS, "-D", data, "-o", options, "-l", log)
    try:
        yield made
    finally:
        call("pg_ctl", "stop", "-m", "immediate", "-D", data)
        shutil.rmtree(folder)
