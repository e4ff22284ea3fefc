"""The result of what could not be graded."""

from __future__ import annotations

from autograder.course.assignments import Assignment
from autograder.results.model import QuestionResult, SubmissionResult, added


def ungraded(assignment: Assignment, name: str, reason: str) -> SubmissionResult:
    """The result of a submission that the grader could not judge: no score is implied."""
    questions = [
        QuestionResult(question.slug, "ungraded", 0.0, question.points)
        for question in assignment.questions
    ]
    return SubmissionResult(
        assignment=assignment.id,
        submission=name,
        status="ungraded",
        score=0.0,
        max_score=added(question.points for question in assignment.questions),
        sandbox="none",
        seconds=0.0,
        flags=[],
        questions=questions,
        reason=reason,
    )
