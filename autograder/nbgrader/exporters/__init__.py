"""Exporters for `nbgrader export --exporter=autograder.nbgrader.exporters.<name>`."""

from autograder.nbgrader.exporters.canvas import CanvasExporter
from autograder.nbgrader.exporters.grades import GradesExporter
from autograder.nbgrader.exporters.moodle import MoodleExporter
from autograder.nbgrader.exporters.questions import QuestionsExporter

__all__ = ["CanvasExporter", "GradesExporter", "MoodleExporter", "QuestionsExporter"]
