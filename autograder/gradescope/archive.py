"""The zip: its scripts, the locked requirements, and a course that holds one assignment.

The same course makes the same bytes. The configuration in it is written anew, so that nothing of
the instructor's own, like the password of a database, travels along.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from autograder.course.assignments import CONFIG_NAME, Assignment
from autograder.course.settings import Settings
from autograder.errors import UsageError
from autograder.files import PACKAGE, contents
from autograder.results.formats.gradescope import Visibility

OWN = Path(__file__).parent
LOCK = PACKAGE / "requirements.lock"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold


def write_zip(
    assignment: Assignment,
    settings: Settings,
    output: Path,
    visibility: Visibility,
    index: str | None = None,
) -> None:
    """Writes what Gradescope needs to grade `assignment`.

    Args:
        visibility: when students see the checks.
        index: URL of a further package index, as one with builds of torch without CUDA.

    Raises:
        UsageError: the solution is missing, or `output` cannot be written.
    """
    if len([*assignment.release_path.parent.glob("*.ipynb")]) > 1:
        raise UsageError(
            f"{assignment.id} has several notebooks, and Gradescope takes the result of one: "
            "make an assignment of each"
        )
    if not assignment.source_path.is_file():
        raise UsageError(f"{assignment.source_path} is missing: Gradescope compares with it")
    run = (OWN / "run_autograder").read_text(encoding="utf-8").replace("VISIBILITY", visibility)
    files = {
        "setup.sh": (OWN / "setup.sh").read_bytes(),
        "find_python.sh": (OWN / "find_python.sh").read_bytes(),
        "run_autograder": run.encode(),
        "requirements.lock": LOCK.read_bytes(),
        "requirements.txt": _not_locked(index).encode(),
        f"course/{CONFIG_NAME}": _configuration(settings, assignment).encode(),
        **{f"course/{name}": path.read_bytes() for name, path in _course(assignment)},
    }
    try:
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as made:
            for name, data in sorted(files.items()):
                mode = 0o755 if name in ("setup.sh", "run_autograder") else 0o644
                made.writestr(_entry(name, mode), data)
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error


def _entry(name: str, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # Unix, whose modes the next line sets
    entry.external_attr = mode << 16
    return entry


def _course(assignment: Assignment) -> Iterator[tuple[str, Path]]:
    """Every file of the course, by its path there."""
    parts = {
        "autograder": PACKAGE,
        f"checks/{assignment.id}": assignment.checks,
        f"release/{assignment.id}": assignment.release_path.parent,
        f"source/{assignment.id}": assignment.source_path.parent,
    }
    for name, folder in parts.items():
        for inner, path in contents(folder):
            yield f"{name}/{inner}", path


def _not_locked(index: str | None) -> str:
    """The requirements that are not in the lock, as torch, whose builds differ by machine."""
    locked = LOCK.read_text(encoding="utf-8").splitlines()
    pins = [pin for pin in metadata.requires("autograder") or [] if "extra ==" not in pin]
    further = [f"--extra-index-url {index}"] if index else []
    missing = sorted(pin for pin in pins if f"{pin} \\" not in locked)
    return "".join(f"{line}\n" for line in [*further, *missing])


def _configuration(settings: Settings, assignment: Assignment) -> str:
    """Without follow-through: students read a result, and hand in again, before the deadline."""
    return (
        '"""What `autograder gradescope` found in the course\'s configuration."""\n\n'
        "from autograder.course.configuration import configure\n\n"
        "c = get_config()\n"
        "configure(c, __file__)\n"
        f"c.GradeInBox.limits = {settings.limits.as_dict()!r}\n"
        f"c.GradeInBox.trust_notebooks = {settings.trust_notebooks!r}\n"
        f"c.GradeInBox.no_follow_through = {[assignment.id]!r}\n"
    )
