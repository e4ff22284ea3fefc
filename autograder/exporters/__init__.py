"""Exporters for `nbgrader export --exporter=autograder.exporters.<name>`."""

from autograder.exporters.canvas import CanvasExporter
from autograder.exporters.moodle import MoodleExporter
from autograder.exporters.questions import QuestionsExporter

__all__ = ["CanvasExporter", "MoodleExporter", "QuestionsExporter"]
