"""HTML pages for students and instructors, in which nothing of a submission runs."""
