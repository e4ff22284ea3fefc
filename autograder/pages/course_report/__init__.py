"""The course report: all assignments of a course side by side."""
