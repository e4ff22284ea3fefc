"""What of a submission `nbgrader autograde` has graded, so that a changed one is graded again.

nbgrader itself compares the times in `timestamp.txt`, which many submissions lack. Here the files
themselves are compared, by digests kept in `.cache/autograded/<assignment>/<student>`.
A rehearsal keeps its own elsewhere.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from autograder.files import write_whole

PLACE = ".cache/autograded"


class GradedDigests:
    """Which files of each submission of one assignment were graded last; kept in `folder`."""

    def __init__(self, folder: Path, assignment: str) -> None:
        self._folder = folder / assignment

    def note(self, student: str, digest: str) -> None:
        """Keeps the digest of what has been graded."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(self._folder / student, digest.encode())

    def has_changed(self, student: str, digest: str) -> bool | None:
        """Whether a digest is that of something else; None where nothing was kept."""
        try:
            kept = (self._folder / student).read_text(encoding="ascii")
        except OSError:
            return None
        return kept != digest


def files_digest(folder: Path) -> str:
    """Of the names and contents of all files in a folder that was inspected."""
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder)
        whole.update(hashlib.sha256(bytes(name)).digest())
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()
