"""The result that lies beside each autograded notebook: how it is written, found and read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from autograder.errors import UsageError
from autograder.files import write_whole
from autograder.results.model import SubmissionResult

RESULT_NAME = "result.json"


def write_result(folder: Path, result: SubmissionResult) -> None:
    """Replaces the result in `folder`, whatever is there and whatever its permissions."""
    path = folder / RESULT_NAME
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    write_whole(path, (json.dumps(result.as_dict()) + "\n").encode())


def read_result(folder: Path) -> SubmissionResult | None:
    """The result that lies in `folder`; None where there is none.

    Raises:
        UsageError: it is damaged.
    """
    path = folder / RESULT_NAME
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
        return SubmissionResult.from_dict(found)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"Its {RESULT_NAME} cannot be read ({error}): grade it again.") from error


def sound_result(folder: Path) -> SubmissionResult | None:
    """The result that lies in `folder`; None where there is none, or a damaged one."""
    try:
        return read_result(folder)
    except UsageError:
        return None


def written_ns(folder: Path) -> int:
    """When the result in `folder` was written, in nanoseconds; 0 when there is none."""
    try:
        return (folder / RESULT_NAME).stat().st_mtime_ns
    except OSError:
        return 0


def _refuse(constant: str) -> float:
    raise ValueError(f"it holds {constant}")
