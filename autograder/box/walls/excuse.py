"""Why a forked child could not become what it was forked for, said in memory that it shares."""

from __future__ import annotations

import mmap
from typing import Final, Self

EXCUSE_BYTES: Final = 1000


class Excuse:
    """What a child that is forked meanwhile leaves to be read. A context manager."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, EXCUSE_BYTES)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the memory; in a child, before anybody's code runs who must not write it."""
        self._memory.close()

    def say(self, error: Exception) -> None:
        """In the child: names what went wrong."""
        said = f"{type(error).__name__}: {error}".encode()[:EXCUSE_BYTES]
        self._memory[: len(said)] = said

    def read(self) -> str:
        """In the parent: what was said, or nothing."""
        return self._memory[:].rstrip(b"\0").decode(errors="replace")
