"""Where the engine lies, and how files are written."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

from autograder.errors import UsageError

PACKAGE = Path(__file__).parent
LEFTOVERS = frozenset({"__pycache__", ".ipynb_checkpoints"})
_FRESH_BYTES = 8
_FRESH = re.compile(rf"\..*\.[0-9a-f]{{{2 * _FRESH_BYTES}}}", re.DOTALL)
"""The names of files that `write_whole` is about to put in place."""


def contents(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every file below `folder` with its name there, but for what Python and Jupyter leave behind.

    Nothing where there is no such folder. Links to files count as files; those that `write_whole`
    is about to put in place do not.
    """
    before = len(os.path.join(folder, ""))
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - LEFTOVERS)
        lasting = (name for name in sorted(names) if not _FRESH.fullmatch(name))
        for path in (os.path.join(at, name) for name in lasting):
            if os.path.isfile(path):
                yield path[before:], Path(path)


def expect_folder_of(output: Path) -> None:
    """Says beforehand what would only come out after all the work.

    Raises:
        UsageError: the folder that `output` is to lie in is not there.
    """
    if not output.parent.is_dir():
        raise UsageError(f"{output.parent} is no folder: cannot write {output}")


def write_whole(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Puts `data` into the file `path`, whole or not at all, whatever was there before.

    Who looks meanwhile, or after an end at any moment, finds the old file or the new one. `mode`
    holds as far as the umask lets it.

    Raises:
        OSError: it cannot be written; `path` is as it was.
    """
    fresh = path.with_name(f".{path.name[:64]}.{secrets.token_hex(_FRESH_BYTES)}")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with open(fd, "wb") as file:
            file.write(data)
        os.replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def write_out(path: Path, text: str) -> None:
    """Puts what a command puts out into the file `path`, whole; or into a pipe, or a device.

    Raises:
        OSError: it cannot be written; it names `path`.
    """
    if path.exists() and not path.is_file():  # as /dev/stdout, in whose place no file may come
        path.write_text(text, encoding="utf-8")
    else:
        try:
            write_whole(path.resolve(), text.encode())
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from error


def write_changed(path: Path, data: bytes) -> bool:
    """Puts `data` into the file `path` unless that is what it holds; whether it was written.

    Raises:
        OSError: it cannot be written.
    """
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)
    return True
