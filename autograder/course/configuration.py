"""What a course's `nbgrader_config.py` asks of nbgrader, so that it grades as this package does.

Theory of operation. `configure(c, __file__)` stands at the top of the file, and the course's own
settings below it: they win, since they come later. What a file has set before the call wins too.
"""

from __future__ import annotations

import copy
import os
import sys
import warnings
from pathlib import Path
from typing import Any

from traitlets.config.loader import Config, LazyConfigValue

from autograder.course.assignments import CONFIG_NAME, INSTRUCTOR_TAG
from autograder.errors import UsageError

BOX = "autograder.nbgrader.preprocessors.GradeInBox"
EXECUTE = "nbgrader.preprocessors.Execute"

SETTINGS: dict[str, dict[str, Any]] = {
    # The names of files that were handed in stand in log lines.
    "Application": {
        "logging_config": {
            "filters": {"straight": {"()": "autograder.results.plain.StraightLog"}},
            "handlers": {"console": {"filters": ["straight"]}},
        }
    },
    # Cells tagged "instructor" stay with the instructor.
    "TagRemovePreprocessor": {"enabled": True, "remove_cell_tags": {INSTRUCTOR_TAG}},
    "GenerateAssignment": {
        # The old release stays until a new one is whole.
        "exporter_class": "autograder.nbgrader.keeping.ReleaseExporter",
        "preprocessors": [
            "nbconvert.preprocessors.TagRemovePreprocessor",
            "nbgrader.preprocessors.IncludeHeaderFooter",
            "nbgrader.preprocessors.InstantiateTests",
            "nbgrader.preprocessors.LockCells",
            "nbgrader.preprocessors.ClearSolutions",
            "nbgrader.preprocessors.ClearOutput",
            "nbgrader.preprocessors.CheckCellMetadata",
            "nbgrader.preprocessors.ComputeChecksums",
            "autograder.nbgrader.keeping.SaveCellsOnce",
            "nbgrader.preprocessors.ClearHiddenTests",
            "nbgrader.preprocessors.ClearMarkScheme",
            "nbgrader.preprocessors.ComputeChecksums",
            "nbgrader.preprocessors.CheckCellMetadata",
            "autograder.nbgrader.releasing.PutCheckBeside",
        ],
    },
    "Autograde": {
        # Nothing of a submission is opened or copied before it was found to be plain files.
        "exporter_class": "autograder.intake.inspection.IntakeExporter",
        "sanitize_preprocessors": [
            "nbgrader.preprocessors.ClearOutput",
            "autograder.nbgrader.preprocessors.RepairCells",
            "nbgrader.preprocessors.DeduplicateIds",
            "nbgrader.preprocessors.OverwriteKernelspec",
            "autograder.nbgrader.preprocessors.CheckMetadata",
        ],
        "autograde_preprocessors": [
            BOX,
            "nbgrader.preprocessors.IgnorePattern",
            "nbconvert.preprocessors.ClearMetadataPreprocessor",
            "nbgrader.preprocessors.LimitOutput",
            "autograder.nbgrader.preprocessors.SaveScores",
            "nbgrader.preprocessors.AssignLatePenalties",
            "autograder.pages.inert.SanitizeOutputs",
            "autograder.nbgrader.preprocessors.CheckMetadata",
        ],
    },
    # A notebook is validated when it was read and when all preprocessors have run, not after each.
    "IntakeExporter": {"optimistic_validation": True},
    # What students wrote runs nowhere: in no feedback page, and not among formgrader's own scripts.
    "HTMLExporter": {
        "preprocessors": ["autograder.pages.inert.SanitizeOutputs"],
        "filters": {
            "ansi2html": "autograder.pages.inert.render_terminal",
            "clean_html": "autograder.pages.inert.render_html",
            "highlight_code": "autograder.pages.inert.render_code",
            "markdown2html": "autograder.pages.inert.render_markdown",
            "strip_files_prefix": "autograder.pages.inert.as_it_is",
        },
        "sanitize_html": True,
    },
    "GenerateFeedback": {
        "preprocessors": ["autograder.pages.feedback.content.GradesToShow"],
        "exporter_class": "autograder.pages.feedback.exporter.FeedbackExporter",
    },
    # `nbgrader export` writes no formulas, unless another exporter is named.
    "ExportApp": {"plugin_class": "autograder.nbgrader.exporters.GradesExporter"},
    # What `nbgrader zip_collect` makes of a download from an LMS, or of a folder of notebooks.
    "ZipCollectApp": {
        "extractor_plugin": "autograder.intake.unpacking.SafeExtractor",
        "collector_plugin": "autograder.intake.collecting.LMSCollector",
    },
}


def expect_box(config: Config) -> None:
    """Student code may run in a box, and nowhere else, when nbgrader grades by `config`.

    Raises:
        UsageError: nbgrader would run it with the rights of whoever grades.
    """
    steps = config.Autograde.get("autograde_preprocessors", ())
    if isinstance(steps, LazyConfigValue):
        steps = steps.get_value([EXECUTE])
    names = [{one} if isinstance(one, str) else {*map(class_name, one.__mro__)} for one in steps]
    if any(BOX in one for one in names) and not any(one == {EXECUTE} for one in names):
        return
    raise UsageError(
        f"by {CONFIG_NAME} nbgrader would run students' code outside of the box, with your own "
        "rights: let the file call `autograder.course.configuration.configure(c, __file__)` right "
        "after `c = get_config()`, and leave `c.Autograde.autograde_preprocessors` to it"
    )


def class_name(found: Any) -> str:
    """How a configuration names a class, which it may also give as it is."""
    return found if isinstance(found, str) else f"{found.__module__}.{found.__qualname__}"


def configure(c: Config, file: str) -> None:
    """Sets what grading needs, but for what is set already.

    Args:
        c: the configuration that traitlets gives the file, of `get_config()`.
        file: the `__file__` of the configuration, which lies at the root of the course.
    """
    root = {"CourseDirectory": {"root": str(Path(file).resolve().parent)}}
    for section, settings in {**SETTINGS, **root}.items():
        for name, value in copy.deepcopy(settings).items():
            own = c[section].setdefault(name, value)
            if isinstance(own, LazyConfigValue):  # as of c.….append("…") before the call
                c[section][name] = own.get_value(value)
    # nbgrader makes its gradebook with the `alembic` command, also when no environment is active.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    # nbgrader's own queries make SQLAlchemy warn on every submission; nobody can act on it.
    warnings.filterwarnings("ignore", module="nbgrader", message=".*")
