"""What the service says no with: a status of HTTP, one sentence, and when to ask again."""

from __future__ import annotations

from autograder.errors import AutograderError


class Refused(AutograderError):
    """A request that gets no answer; its text is one sentence for whoever asked.

    Attributes:
        status: of HTTP.
        retry_seconds: when it may be asked again; None for never, as it is.
    """

    def __init__(self, status: int, sentence: str, retry_seconds: float | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.retry_seconds = retry_seconds


UNKNOWN_ASKER = (
    "The check service does not know who you are: your token is missing, wrong or over; "
    "ask your instructor for a new one."
)
NOT_FOR_YOU = "Your token is for another assignment."
INSTRUCTORS_ONLY = "This page is for instructors."
TOO_MANY_REQUESTS = "Your notebook asks the check service too often: wait a little."
TOO_MANY_FAILURES = "Too many wrong tokens came from your address: wait a little."
NO_SUCH_QUESTION = "The check service has no such assignment or question."
NO_SUCH_CHECK = "The check service knows no such check any more: ask once more."
NO_SUCH_PAGE = "There is nothing at this address of the check service."
CLOSED = "The checks of this assignment are closed."
RESERVED = "This question is judged only after you have handed in."
STILL_UNDER_WAY = "Your other check is still under way: wait for its answer."
QUEUE_FULL = "So many are asking that the queue is full: ask again later."
TOO_SLOW = "Your notebook took too long to arrive: ask again."
TOO_LARGE = "Your notebook is too large to be checked: clear its outputs and save it."
NO_QUESTION = "What was sent is no question about a notebook: save the notebook and ask again."
OUT_OF_ORDER = "The check service cannot keep attempts at the moment: ask again in a minute."
OWN_FAULT = "The check service failed through a fault that is not yours: ask again later."
NOT_LOCAL = "This service is open to programs of its own machine, and to no page of another."
HUB_SILENT = "The hub does not say who you are at the moment: ask again in a minute."


def too_soon(seconds: float) -> str:
    """Of an attempt that comes before its time."""
    return f"You may ask about this question again in {_span(seconds)}: look at it meanwhile."


def no_attempts_left(attempts: int, seconds: float) -> str:
    """Of an attempt beyond those of an hour."""
    return f"You have asked {attempts} times within an hour: ask again in {_span(seconds)}."


def _span(seconds: float) -> str:
    whole = max(1, -int(-seconds // 1))
    if whole < 120:
        return f"{whole} second{'s' if whole > 1 else ''}"
    return f"{-(-whole // 60)} minutes"
