"""Everything this package raises on purpose, under one root."""

from __future__ import annotations


class AutograderError(Exception):
    """Root of the package's exceptions; its text is one sentence for the user."""


class UsageError(AutograderError):
    """The user asked for something that cannot be done: what, where, and what to do."""


class UnreadableSubmission(UsageError):
    """A submission that is no notebook, or one too large or too strange to open."""


class Ungraded(AutograderError):
    """A fault of the grader's own: the submission keeps no verdict, never a zero."""


class Unready(Ungraded):
    """Until it is mended, no submission of the assignment can be graded."""


class BrokenCheck(Ungraded):
    """A check file has a mistake: until its author mends it, nothing is judged by it.

    Attributes:
        words: what an error said, for the author alone: expected values may stand in them.
    """

    def __init__(self, text: str, *, words: str = "") -> None:
        super().__init__(text)
        self.words = words

    @property
    def in_full(self) -> str:
        """The text and the words."""
        return f"{self}: {self.words}" if self.words else str(self)


class ZygoteGone(Ungraded):
    """The zygote has ended or does not answer: with another one the work may be done."""


class BadReply(AutograderError):
    """A box's reply broke the wire format.

    Attributes:
        reason: which rule was broken.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotDone(AutograderError):
    """The helper did not finish its work on a student's text: it took too long, or raised."""


class Disconnected(AutograderError):
    """The other side of the socket has closed it."""


class DeadlinePassed(AutograderError):
    """A frame was not complete when its deadline passed."""
