"""nbgrader's configuration of this course."""

import os
import sys
import warnings
from pathlib import Path

# nbgrader's own queries make SQLAlchemy warn on every new submission; nobody can act on it.
warnings.filterwarnings("ignore", module="nbgrader", message=".*")

c = get_config()  # noqa: F821 - given by traitlets

# nbgrader makes its gradebook with the `alembic` command, also when the environment is not active.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

c.CourseDirectory.course_id = "transformers"
c.CourseDirectory.root = str(Path(__file__).resolve().parent)

# Seconds that one cell of a submission may run. autograder/course/limits.py names the other limits,
# as in c.GradeInBox.limits = {"memory_bytes": 2 << 30}
c.Execute.timeout = 20

# A question that rests on an earlier wrong answer is graded again with the instructor's answer to
# that one. Not in these assignments:
c.GradeInBox.no_follow_through = []

# Cells tagged "instructor" stay with the instructor.
c.TagRemovePreprocessor.enabled = True
c.TagRemovePreprocessor.remove_cell_tags = {"instructor"}
c.GenerateAssignment.preprocessors = [
    "nbconvert.preprocessors.TagRemovePreprocessor",
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.InstantiateTests",
    "nbgrader.preprocessors.LockCells",
    "nbgrader.preprocessors.ClearSolutions",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# Nothing of a submission is opened or copied before it was found to be plain files.
c.Autograde.exporter_class = "autograder.intake.inspection.IntakeExporter"

# A notebook is validated when it was read and when all preprocessors have run, not after each.
c.IntakeExporter.optimistic_validation = True

c.Autograde.sanitize_preprocessors = [
    "nbgrader.preprocessors.ClearOutput",
    "autograder.nbgrader.preprocessors.RepairCells",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "autograder.nbgrader.preprocessors.CheckMetadata",
]
c.Autograde.autograde_preprocessors = [
    "autograder.nbgrader.preprocessors.GradeInBox",
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "autograder.nbgrader.preprocessors.SaveScores",
    "nbgrader.preprocessors.AssignLatePenalties",
    "autograder.pages.inert.SanitizeOutputs",
    "autograder.nbgrader.preprocessors.CheckMetadata",
]

# What students wrote runs nowhere: in no feedback page, and not among formgrader's own scripts.
c.HTMLExporter.preprocessors = ["autograder.pages.inert.SanitizeOutputs"]
c.HTMLExporter.filters = {
    "clean_html": "autograder.pages.markup.clean_html",
    "markdown2html": "autograder.pages.inert.render_markdown",
}
c.HTMLExporter.sanitize_html = True
c.GenerateFeedback.preprocessors = ["autograder.pages.feedback.content.GradesToShow"]
c.GenerateFeedback.exporter_class = "autograder.pages.feedback.exporter.FeedbackExporter"

# What `nbgrader zip_collect` makes of a download from an LMS, or of a folder of notebooks
# (docs/collecting.md), and the time zone of the times in file names.
c.ZipCollectApp.extractor_plugin = "autograder.intake.unpacking.SafeExtractor"
c.ZipCollectApp.collector_plugin = "autograder.intake.collecting.LMSCollector"
c.LMSCollector.timezone = "UTC"

# What being late costs; without these lines nothing. The due date is set in formgrader.
# c.AssignLatePenalties.plugin_class = "autograder.nbgrader.late.PercentPerDay"
# c.PercentPerDay.percent = 10  # of the score, for each day begun
# c.PercentPerDay.at_most = 50
# c.PercentPerDay.grace_hours = 1
# c.PercentPerDay.extra_days = {"demo-student": 3}
