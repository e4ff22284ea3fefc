"""What one submission may use. Every limit states its unit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Defaults fit the course's notebooks on one core with a wide margin.

    Attributes:
        cell_seconds: wall clock of one cell.
        probe_seconds: wall clock of one probe.
        submission_seconds: wall clock of all cells and probes, replays included.
        search_seconds: wall clock of the search for the place of a mistake, for each question;
            0 for none.
        memory_bytes: memory of a box beyond what it shares with the zygote.
        processes: processes and threads of a box at one time.
        cell_output_bytes: text and pictures kept of one cell.
        submission_output_bytes: text and pictures kept of all cells.
        file_bytes: size of one file that student code writes.
        disk_bytes: size of all files that student code writes.
        files: number of files and folders that student code makes.
        notebook_bytes: size of a submitted notebook.
    """

    cell_seconds: float = 30.0
    probe_seconds: float = 10.0
    submission_seconds: float = 180.0
    search_seconds: float = 0.0
    memory_bytes: int = 4096 * MIB
    processes: int = 128
    cell_output_bytes: int = 4 * MIB
    submission_output_bytes: int = 32 * MIB
    file_bytes: int = 64 * MIB
    disk_bytes: int = 256 * MIB
    files: int = 4096
    notebook_bytes: int = 32 * MIB

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
