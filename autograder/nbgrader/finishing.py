"""A verdict made ready to be recorded, wherever it was made: `nbgrader.direct` records it.

Theory of operation. Of the preprocessors that nbgrader's autograding runs (`course.configuration`),
two read and write the gradebook; all others only make a notebook. Those run here, on the worker, by
nbconvert's own exporter: what it returns is the autograded notebook, byte for byte. Of what the two
others look at, the cells as they were at that point are noted, without the outputs that earn no
points. A course whose configuration changes that chain, or puts something into it that may look at
the gradebook or at the submitted folder, is recorded by nbgrader's own steps alone: `beyond` says
what it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from traitlets.config.loader import Config

from autograder.course.assignments import CONFIG_NAME, Assignment
from autograder.course.cells import is_graded
from autograder.course.configuration import SETTINGS, class_name
from autograder.errors import Ungraded
from autograder.results.model import Graded, SubmissionResult

if TYPE_CHECKING:  # loading nbformat takes longer than many a command
    from nbformat import NotebookNode

Carried = dict[str, dict[str, Any]]  # settings by section and name, as JSON can tell them

CHAIN = ("exporter_class", "sanitize_preprocessors", "autograde_preprocessors")
# What these sections set of the chain is the same on a worker.
CARRIED = ("IgnorePattern", "ClearMetadataPreprocessor", "LimitOutput", "SanitizeOutputs")
# What these set changes what was done to a notebook before it ran, or how it is written.
CHANGING = (
    *("ClearOutput", "ClearOutputPreprocessor", "RepairCells", "OverwriteCells", "DeduplicateIds"),
    *("OverwriteKernelspec", "CheckMetadata", "CheckCellMetadata", "NbGraderPreprocessor"),
    *("Preprocessor", "NbConvertBase", "NotebookExporter", "Exporter"),
)
NOTED = "noted cells"  # in the resources of the exporter
OF_THE_GRADEBOOK = ("GradeInBox", "SaveScores", "AssignLatePenalties", "CheckMetadata")
KNOWN_PENALTIES = (
    "nbgrader.plugins.LateSubmissionPlugin",
    "nbgrader.plugins.latesubmission.LateSubmissionPlugin",
    "autograder.nbgrader.late.PercentPerDay",
)


@dataclass(frozen=True)
class Finished:
    """What recording needs of one verdict.

    Attributes:
        submitted: the digest of the code that was handed in.
        cells: what tells the scores, as JSON.
        notebook: the autograded notebook, as it is written to its file.
    """

    result: SubmissionResult
    submitted: str
    cells: str
    notebook: str


def beyond(config: Config, assignment: Assignment) -> str:
    """What only nbgrader's own steps can do justice to; empty when there is nothing."""
    if not assignment.has_checks:
        return f"the tests of {assignment.id} stand in its cells"
    found = next(_settings_beyond(config), None)
    return f"{CONFIG_NAME} sets {found}" if found else ""


def _settings_beyond(config: Config) -> Iterator[str]:
    for name in CHAIN:
        if config.Autograde.get(name) != SETTINGS["Autograde"][name]:
            yield f"c.Autograde.{name}"
    for section in ("Autograde", "BaseConverter"):
        if config[section].get("pre_convert_hook") is not None:
            yield f"c.{section}.pre_convert_hook"
    for section in ("Execute", "GradeInBox"):
        if not config[section].get("enabled", True):
            yield f"c.{section}.enabled"
    penalties = config.AssignLatePenalties.get("plugin_class")
    if penalties is not None and class_name(penalties) not in KNOWN_PENALTIES:
        yield "c.AssignLatePenalties.plugin_class"
    for section in CHANGING:
        yield from (f"c.{section}.{name}" for name in config.get(section, ()))
    for section, settings in carried(config).items():
        for name, value in settings.items():
            if not _is_plain(value):
                yield f"c.{section}.{name}"


def _is_plain(value: Any) -> bool:
    """Whether a worker can be told it."""
    try:
        return bool(json.loads(json.dumps(value)) == value)
    except (TypeError, ValueError):
        return False


def carried(config: Config) -> Carried:
    """What a `Finisher` has to know of a configuration."""
    return {section: dict(config[section]) for section in CARRIED if section in config}


class Finisher:
    """Makes verdicts ready to be recorded; loads nbgrader when made.

    Args:
        settings: see `carried`.
    """

    def __init__(self, settings: Carried) -> None:
        from nbconvert.exporters import NotebookExporter

        config = Config({name: Config(found) for name, found in settings.items()})
        self._exporter = NotebookExporter(config=config, optimistic_validation=True)
        self._exporter._preprocessors = []  # as nbgrader's converter empties it
        for name in SETTINGS["Autograde"]["autograde_preprocessors"]:
            kind = name.rpartition(".")[2]
            if kind == "SaveScores":
                self._exporter.register_preprocessor(_note)
            if kind not in OF_THE_GRADEBOOK:
                self._exporter.register_preprocessor(name)

    def finish(self, graded: Graded, submitted: NotebookNode) -> Finished | None:
        """Makes ready the verdict on what was `submitted`; `graded` keeps its notebook.

        None where no notebook comes out: who records it by nbgrader comes upon why, and says so.
        """
        from nbformat import NotebookNode, ValidationError

        from autograder.nbgrader.scores import code_digest, write_scores

        scored = NotebookNode({**graded.notebook, "cells": []})
        scored.cells = [NotebookNode(cell) for cell in graded.notebook.cells]
        write_scores(scored, graded.result)
        try:
            text, resources = self._exporter.from_notebook_node(scored)
        except (ValidationError, Ungraded):
            return None
        return Finished(graded.result, code_digest(submitted), resources[NOTED], text)


def _note(notebook: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
    """Notes what scores and comments are read from."""
    resources[NOTED] = json.dumps([_noted(cell) for cell in notebook.cells])
    return notebook, resources


def _noted(cell: NotebookNode) -> dict[str, Any]:
    settings = {name: found for name, found in cell.metadata.items() if name == "nbgrader"}
    kept = {name: cell[name] for name in ("id", "cell_type", "source") if name in cell}
    noted = {**kept, "metadata": settings}
    if cell.cell_type == "code":
        noted["outputs"] = cell.outputs if is_graded(cell) else []
    return noted
