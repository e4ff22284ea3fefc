"""nbgrader's configuration of this course."""

import os
import sys
import warnings
from pathlib import Path

from nbconvert.preprocessors import ClearMetadataPreprocessor, TagRemovePreprocessor
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    DeduplicateIds,
    IgnorePattern,
    IncludeHeaderFooter,
    InstantiateTests,
    LimitOutput,
    LockCells,
    OverwriteKernelspec,
    SaveCells,
)
from sqlalchemy.exc import SAWarning

from autograder.feedback_page.content import GradesToShow
from autograder.feedback_page.exporter import FeedbackExporter
from autograder.inert import SanitizeOutputs, render_markdown
from autograder.intake import IntakeExporter
from autograder.markup import clean_html
from autograder.preprocessors import CheckMetadata, GradeInBox, RepairCells, SaveScores

# nbgrader's own queries make SQLAlchemy warn on every new submission; nobody can act on it.
warnings.filterwarnings("ignore", category=SAWarning)

c = get_config()  # noqa: F821 - given by traitlets

# nbgrader makes its gradebook with the `alembic` command, also when the environment is not active.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

c.CourseDirectory.course_id = "transformers"
c.CourseDirectory.root = str(Path(__file__).resolve().parent)

# Seconds that one cell of a submission may run. autograder/limits.py names the other limits, as in
# c.GradeInBox.limits = {"memory_bytes": 2 << 30}
c.Execute.timeout = 20

# A question that rests on an earlier wrong answer is graded again with the instructor's answer to
# that one. Not in these assignments:
c.GradeInBox.no_follow_through = []

# Cells tagged "instructor" stay with the instructor.
c.TagRemovePreprocessor.enabled = True
c.TagRemovePreprocessor.remove_cell_tags = {"instructor"}
c.GenerateAssignment.preprocessors = [
    TagRemovePreprocessor,
    IncludeHeaderFooter,
    InstantiateTests,
    LockCells,
    ClearSolutions,
    ClearOutput,
    CheckCellMetadata,
    ComputeChecksums,
    SaveCells,
    ClearHiddenTests,
    ClearMarkScheme,
    ComputeChecksums,
    CheckCellMetadata,
]

# Nothing of a submission is opened or copied before it was found to be plain files.
c.Autograde.exporter_class = IntakeExporter

c.Autograde.sanitize_preprocessors = [
    ClearOutput,
    RepairCells,
    DeduplicateIds,
    OverwriteKernelspec,
    CheckMetadata,
]
c.Autograde.autograde_preprocessors = [
    GradeInBox,
    IgnorePattern,
    ClearMetadataPreprocessor,
    LimitOutput,
    SaveScores,
    AssignLatePenalties,
    SanitizeOutputs,
    CheckMetadata,
]

# What students wrote runs nowhere: in no feedback page, and not among formgrader's own scripts.
c.HTMLExporter.preprocessors = [SanitizeOutputs]
c.HTMLExporter.filters = {"clean_html": clean_html, "markdown2html": render_markdown}
c.HTMLExporter.sanitize_html = True
c.GenerateFeedback.preprocessors = [GradesToShow]
c.GenerateFeedback.exporter_class = FeedbackExporter

# What `nbgrader zip_collect` makes of a download from an LMS, or of a folder of notebooks
# (docs/collecting.md), and the time zone of the times in file names.
c.ZipCollectApp.extractor_plugin = "autograder.unpacking.SafeExtractor"
c.ZipCollectApp.collector_plugin = "autograder.collecting.LMSCollector"
c.LMSCollector.timezone = "UTC"

# What being late costs; without these lines nothing. The due date is set in formgrader.
# c.AssignLatePenalties.plugin_class = "autograder.late.PercentPerDay"
# c.PercentPerDay.percent = 10  # of the score, for each day begun
# c.PercentPerDay.at_most = 50
# c.PercentPerDay.grace_hours = 1
# c.PercentPerDay.extra_days = {"demo-student": 3}
