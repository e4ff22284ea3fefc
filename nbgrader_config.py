"""nbgrader's configuration of this course."""

import os
import sys
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
    SaveAutoGrades,
    SaveCells,
)

from autograder.preprocessors import GradeInBox, RepairCells

c = get_config()  # noqa: F821 - given by traitlets

# nbgrader makes its gradebook with the `alembic` command, also when the environment is not active.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

c.CourseDirectory.course_id = "transformers"
c.CourseDirectory.root = str(Path(__file__).resolve().parent)

# Seconds that one cell of a submission may run.
c.Execute.timeout = 20

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

c.Autograde.sanitize_preprocessors = [
    ClearOutput,
    RepairCells,
    DeduplicateIds,
    OverwriteKernelspec,
    CheckCellMetadata,
]
c.Autograde.autograde_preprocessors = [
    GradeInBox,
    IgnorePattern,
    ClearMetadataPreprocessor,
    LimitOutput,
    SaveAutoGrades,
    AssignLatePenalties,
    CheckCellMetadata,
]
