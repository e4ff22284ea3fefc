"""What earlier runs left behind: which verdict is kept for a submission, and what was recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from autograder.files import write_whole
from autograder.results.stored import written_ns


class Log:
    """Lines of JSON that are only ever appended, so that an end at any moment loses one at most."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._verdicts: dict[str, str] = {}
        self._recorded: dict[str, tuple[str, int]] = {}
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for line in text.splitlines():
            self._take(line)
        if text and not text.endswith("\n"):
            self._append_text("\n")

    def _take(self, line: str) -> None:
        try:
            entry = json.loads(line)
        except ValueError:  # the run that wrote it was ended in the middle
            return
        if "verdict" in entry:
            self._verdicts[entry["submission"]] = entry["verdict"]
        else:
            self._recorded[entry["student"]] = (entry["entry"], entry["changed"])

    def verdict(self, submission: str) -> str | None:
        """Under what the cache keeps the verdict on a submission, by its digest."""
        return self._verdicts.get(submission)

    def graded(self, submission: str, verdict: str) -> None:
        """Notes under what the cache keeps a verdict."""
        self._verdicts[submission] = verdict
        self._append({"submission": submission, "verdict": verdict})

    def is_recorded(self, student: str, entry: str, folder: Path) -> bool:
        """Whether what lies in the autograded `folder` is what was recorded for this `entry`."""
        return self._recorded.get(student) == (entry, written_ns(folder))

    def recorded(self, student: str, entry: str, folder: Path) -> None:
        """Notes that a verdict lies in `folder` and in the gradebook, and what that rests on."""
        changed = written_ns(folder)
        self._recorded[student] = (entry, changed)
        self._append({"student": student, "entry": entry, "changed": changed})

    def _append(self, entry: dict[str, Any]) -> None:
        self._append_text(json.dumps(entry) + "\n")

    def _append_text(self, text: str) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(text)

    def compact(self, submissions: set[str]) -> None:
        """Forgets verdicts on other submissions than these, and what was recorded twice."""
        self._verdicts = {k: v for k, v in self._verdicts.items() if k in submissions}
        entries: list[dict[str, Any]] = [
            {"submission": submission, "verdict": verdict}
            for submission, verdict in self._verdicts.items()
        ]
        entries += [
            {"student": student, "entry": entry, "changed": changed}
            for student, (entry, changed) in self._recorded.items()
        ]
        write_whole(self._path, "".join(json.dumps(entry) + "\n" for entry in entries).encode())
