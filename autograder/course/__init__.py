"""Where a course keeps things, and what its configuration says."""
