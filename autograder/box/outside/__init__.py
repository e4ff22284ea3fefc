"""The grader's side: starting boxes, asking them, and reading their replies as hostile."""
