"""What `nbgrader generate_assignment` puts beside a notebook, for kernels without JupyterLab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.files import PACKAGE

CHECK = "check.py"
SETTINGS = ("ASSIGNMENT", "URL")


def check_file(assignment: str, url: str) -> str:
    """The file that gives students `%check`, which knows its assignment and the service."""
    text = (PACKAGE / "jupyter" / CHECK).read_text(encoding="utf-8")
    for name, value in zip(SETTINGS, (assignment, url), strict=True):
        text = text.replace(f'\n{name} = ""\n', f"\n{name} = {quoted(value)}\n")
    return text


def quoted(text: str) -> str:
    """A literal of Python, as a formatter would write it."""
    return '"' + text.encode("unicode_escape").decode().replace('"', '\\"') + '"'


class PutCheckBeside(NbGraderPreprocessor):  # type: ignore[misc]
    """Gives an assignment with checks of its own the file `check.py`, unless it has one."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Called by nbconvert, whose writer writes `outputs` beside the notebook."""
        found = resources["nbgrader"]
        course = Path(self.config.CourseDirectory.get("root", "."))
        own = Path(resources["metadata"]["path"]) / CHECK
        if (course / "checks" / found["assignment"]).is_dir() and not own.exists():
            url = str(self.config.CheckService.get("url", ""))
            text = check_file(found["assignment"], url)
            resources.setdefault("outputs", {})[CHECK] = text.encode()
        return nb, resources
