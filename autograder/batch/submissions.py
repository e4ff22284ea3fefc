"""What has been handed in, told apart by what it holds."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path

from autograder.course.folders import TIMESTAMP
from autograder.errors import UnreadableSubmission
from autograder.grading.identity import Identity
from autograder.intake.reading import STAMP_BYTES, read_bytes


@dataclass(frozen=True)
class Submission:
    """One student's work on an assignment.

    Attributes:
        digest: of the notebook and the assignment's state: on what the verdict depends.
        entry: of the digest and of when it was handed in: on what the gradebook's entry depends.
        notebook: the bytes of the notebook.
    """

    student: str
    path: Path
    digest: str
    entry: str
    notebook: bytes

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.student}/{self.path.name}"


def read_submission(student: str, folder: Path, identity: Identity) -> Submission:
    """What lies in a student's folder.

    Raises:
        UnreadableSubmission: the notebook is missing, is no regular file, or is too large, or
            nbgrader would take another student's for it.
    """
    if glob.has_magic(student):
        raise UnreadableSubmission(
            f"nbgrader takes the name of the folder {folder.parent} for a pattern: "
            "rename it, without any of * ? ["
        )
    path = folder / f"{identity.assignment.id}.ipynb"
    notebook = read_bytes(path, identity.settings.limits.notebook_bytes)
    stamp = folder / TIMESTAMP
    handed_in = read_bytes(stamp, STAMP_BYTES) if stamp.exists() or stamp.is_symlink() else b""
    digests = identity.of_submission(notebook), identity.of_submission(notebook, handed_in)
    return Submission(student, path, *digests, notebook)
