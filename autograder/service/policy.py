"""What `nbgrader_config.py` says of the check service in `c.CheckService`.

What an answer tells is decided in `answers.py`, how often one may ask in `Policy.allowance`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Literal, NamedTuple, Self, get_args

from traitlets import Bool, Dict, Enum, Float, Integer, List, TraitError, Unicode
from traitlets.config import Configurable
from traitlets.config.loader import Config

from autograder.course.assignments import Course
from autograder.course.settings import read_config, wrong_value
from autograder.errors import UsageError

Reveal = Literal["passed", "titles", "sentences", "diagnoses"]
REVEALS: tuple[Reveal, ...] = get_args(Reveal)
HOUR = 3600.0  # seconds


class CheckService(Configurable):
    """The options of the check service."""

    url = Unicode("", help="Where students' notebooks reach the service; empty for none.").tag(
        config=True
    )
    reveal = Enum(
        REVEALS,
        "diagnoses",
        help="What an answer tells: only whether it passed; each check's title; also the "
        "sentence; also the diagnosis.",
    ).tag(config=True)
    show_points = Bool(False, help="Whether an answer tells points.").tag(config=True)
    reserved = Dict(
        key_trait=Unicode(),
        value_trait=List(Unicode()),
        help="Questions ('slug') and checks ('slug/check') kept for the final grade, "
        "by assignment.",
    ).tag(config=True)
    attempts_an_hour = Integer(12, min=1, help="For each student and question.").tag(config=True)
    free_attempts = Integer(3, min=0, help="As many in an hour need no waiting.").tag(config=True)
    first_wait_seconds = Float(
        5.0, min=0.0, help="After the free attempts; doubles with each one that follows."
    ).tag(config=True)
    longest_wait_seconds = Float(300.0, min=0.0, help="The wait grows no further.").tag(config=True)
    open_until = Dict(
        key_trait=Unicode(),
        value_trait=Unicode(),
        help="ISO times with a zone, by assignment; without one it is always open.",
    ).tag(config=True)
    database = Unicode(
        "", help="The URL of the attempts' database; empty: the gradebook's server, or a file."
    ).tag(config=True)
    queue_length = Integer(500, min=1, help="So many may wait; more are sent away.").tag(
        config=True
    )
    instructors = List(Unicode(), help="Who may see the instructor's page.").tag(config=True)


class Allowance(NamedTuple):
    """How often a student may still ask.

    Attributes:
        attempts_left: within the hour.
        next_in_seconds: until the next attempt; 0 for now.
    """

    attempts_left: int
    next_in_seconds: float


@dataclass(frozen=True)
class Policy:
    """What the instructor has chosen; names without a word here are those of `CheckService`.

    Attributes:
        open_until: by assignment; None, as where none is named, for always.
    """

    url: str
    reveal: Reveal
    show_points: bool
    reserved: Mapping[str, Sequence[str]]
    attempts_an_hour: int
    free_attempts: int
    first_wait_seconds: float
    longest_wait_seconds: float
    open_until: Mapping[str, datetime | None]
    database: str
    queue_length: int
    instructors: frozenset[str]

    @classmethod
    def of(cls, options: CheckService) -> Self:
        """The policy that these options make.

        Raises:
            UsageError: two options contradict each other, or a time is none.
        """
        if options.reveal == "passed" and options.show_points:
            raise UsageError(
                "c.CheckService.show_points tells more than reveal = 'passed' allows: "
                "drop it, or reveal titles"
            )
        chosen = {field.name: getattr(options, field.name) for field in fields(cls)}
        times = {name: _time(name, text) for name, text in options.open_until.items()}
        names = frozenset(options.instructors)
        return cls(**{**chosen, "open_until": times, "instructors": names})

    def expect_fits(self, course: Course) -> None:
        """Refuses what would silently reserve or close nothing.

        Raises:
            UsageError: an assignment or a question is named that the course does not have.
        """
        for option, names in (("reserved", self.reserved), ("open_until", self.open_until)):
            for name in names:
                if name not in course.assignment_ids():
                    raise UsageError(
                        f"c.CheckService.{option} names {name}: this course has "
                        f"{', '.join(course.assignment_ids()) or 'no assignment with checks'}"
                    )
        for name, entries in self.reserved.items():
            known = {question.slug for question in course.assignment(name).questions}
            for entry in entries:
                slug, slash, check = entry.partition("/")
                if slug not in known:
                    raise UsageError(
                        f"c.CheckService.reserved names {entry} of {name}, which has the "
                        f"questions {', '.join(sorted(known))}"
                    )
                if slash and not check:
                    raise UsageError(
                        f"c.CheckService.reserved names {entry} of {name}, and no check behind "
                        "the slash: drop it to reserve the question"
                    )

    def is_reserved(self, assignment: str, slug: str) -> bool:
        """Whether a question is wholly kept for the final grade."""
        return slug in self.reserved.get(assignment, ())

    def reserved_checks(self, assignment: str, slug: str) -> frozenset[str]:
        """The names of those checks of a question that are kept for the final grade."""
        parts = (entry.partition("/") for entry in self.reserved.get(assignment, ()))
        return frozenset(check for of, _, check in parts if of == slug and check)

    def is_open(self, assignment: str, now: float) -> bool:
        """Whether an assignment may be asked about; `now` is in seconds of the epoch."""
        until = self.open_until.get(assignment)
        return until is None or now < until.timestamp()

    def allowance(self, asked: Sequence[float], now: float) -> Allowance:
        """How often a student may still ask one question.

        Args:
            asked: when they were answered, in seconds of the epoch.
        """
        within = sorted(at for at in asked if now - at < HOUR)
        left = self.attempts_an_hour - len(within)
        if left <= 0:
            return Allowance(0, within[-self.attempts_an_hour] + HOUR - now)
        if not within:
            return Allowance(left, 0.0)
        return Allowance(left, max(0.0, within[-1] + self._wait_seconds(len(within)) - now))

    def _wait_seconds(self, attempts: int) -> float:
        """What has to pass between the last of so many attempts within an hour and the next."""
        doublings = attempts - self.free_attempts
        if doublings < 0:
            return 0.0
        return min(self.first_wait_seconds * 2.0 ** min(doublings, 64), self.longest_wait_seconds)


def _time(assignment: str, text: str) -> datetime | None:
    if not text:
        return None
    with suppress(ValueError):
        found = datetime.fromisoformat(text)
        if found.tzinfo is not None:
            return found
    raise UsageError(
        f"c.CheckService.open_until of {assignment} is {text!r}: "
        "give a time with a zone, as '2027-02-01T23:59+01:00'"
    )


def policy_of(config: Config) -> Policy:
    """What a configuration says in `c.CheckService`.

    Raises:
        UsageError: an option is unknown, or has a value of another kind.
    """
    known = CheckService.class_trait_names(config=True)
    for name in config.get(CheckService.__name__, {}):
        if name not in known:  # a misspelt `reserved` would reserve nothing
            raise UsageError(f"unknown option c.CheckService.{name}: use {', '.join(known)}")
    try:
        return Policy.of(CheckService(config=config))
    except TraitError as error:
        raise wrong_value(error) from error


def read_policy(course: Course) -> Policy:
    """The policy of a course, which fits its assignments.

    Raises:
        UsageError: the configuration does not run, or says what cannot be.
    """
    found = policy_of(read_config(course.root))
    found.expect_fits(course)
    return found
