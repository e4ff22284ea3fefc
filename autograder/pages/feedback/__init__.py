"""The feedback page: what `nbgrader generate_feedback` makes of a graded submission."""
