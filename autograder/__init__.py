"""Grades notebooks by hidden checks, out of reach of student code."""

from __future__ import annotations

__version__ = "0.1.0"


def check(slug: str) -> None:
    """Runs the hidden checks of question `slug` against the live kernel, while authoring.

    Raises:
        AssertionError: a check does not hold.
    """
    from autograder.authoring.live import check_live

    check_live(slug)
