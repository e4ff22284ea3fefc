"""What a student asks the check service, and what they are told of it meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from autograder.errors import AutograderError
from autograder.results.model import QuestionResult

State = Literal["waiting", "running", "answered", "failed"]


@dataclass(frozen=True)
class Asked:
    """What a student wants to know.

    Attributes:
        slug: of the question.
        notebook: the bytes of an nbformat 4 notebook.
        digest: of all that the answer rests on: what has the same one has the same answer.
        reserved: names of checks on which nothing that is told may rest.
    """

    student: str
    assignment: str
    slug: str
    notebook: bytes
    digest: str
    reserved: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Progress:
    """A ticket as it is now.

    Attributes:
        position: 1 is the next; 0 once it runs.
        wait_seconds: until it will be answered, as far as that can be told.
        result: of a ticket that was answered.
        sentence: for the student, of a ticket that has failed.
    """

    id: str
    asked: Asked
    state: State
    position: int = 0
    wait_seconds: float = 0.0
    result: QuestionResult | None = None
    sentence: str = ""

    @property
    def is_over(self) -> bool:
        return self.state in ("answered", "failed")


class Busy(AutograderError):
    """This student's other check is still under way."""


class Full(AutograderError):
    """So many wait that nobody else may.

    Attributes:
        retry_seconds: after which there may be room.
    """

    def __init__(self, retry_seconds: float) -> None:
        super().__init__("too many checks wait already: ask again a little later")
        self.retry_seconds = retry_seconds


class Measures(NamedTuple):
    """What goes on at a desk; `median` and `p95` are seconds from asking to the answer, lately."""

    waiting: int
    running: int
    workers: int
    answered: int
    failed: int
    from_cache: int
    median: float
    p95: float
