"""A disk without room, whichever command filled it and on whichever worker."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterable

from autograder.errors import Ungraded

FULL = (errno.ENOSPC, errno.EDQUOT)
ROOM_BYTES = 1 << 20  # with less of it a disk counts as the full one


def full_disk(errors: Iterable[BaseException]) -> Ungraded | None:
    """What to say of a command that ended by these errors; None if no disk was full."""
    for error in errors:
        if isinstance(error, OSError) and error.errno in FULL:
            place = error.filename if isinstance(error.filename, str) else _full_place()
            return Ungraded(
                f"no space left on the disk of {place}: free some and run the command again, "
                "what was graded and recorded is kept"
            )
    return None


def _full_place() -> str:
    """A write names no file: where this command writes, the full place alone if it can be told."""
    places = [os.getcwd(), tempfile.gettempdir()]
    full = [place for place in places if shutil.disk_usage(place).free < ROOM_BYTES]
    return " or ".join(full or places)
