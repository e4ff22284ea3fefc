"""What the service does for one request, without a word of HTTP but the refusals.

Theory of operation. The database is waited for in threads (`aside`). From looking at how often a
student has asked to the ticket no other question of theirs is looked at, and none is under way, so
that no second request slips in between. The desk tells `keep` of each answer before anyone else
hears of it; an answer from the cache is kept here, also before it is told. Whoever asks once more
what was answered within the hour gets the same answer, and has used no attempt. An answer that
rests on how busy the machine was is found anew; this is free once, and then an attempt each time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from weakref import WeakValueDictionary

from autograder.course.assignments import Assignment
from autograder.errors import Ungraded
from autograder.pages.feedback.summary import human
from autograder.service import refusals
from autograder.service.answers import answer, shown
from autograder.service.aside import Aside
from autograder.service.attempts import Attempts, KeptAttempt
from autograder.service.bodies import Bodies
from autograder.service.desk import Desk
from autograder.service.failures import Failures
from autograder.service.policy import HOUR, Allowance, Policy
from autograder.service.questions import Questions
from autograder.service.refusals import Refused
from autograder.service.tickets import Asked, Busy, Full, Progress
from autograder.service.who import Asker

REMEMBERED = 2000  # attempts, whose answers are known from the start
LISTED = 200  # attempts of a student


@dataclass(frozen=True)
class Service:
    """The parts of a running service; `now` tells the seconds of the epoch."""

    policy: Policy
    questions: Questions
    attempts: Attempts
    desk: Desk
    now: Callable[[], float] = time.time
    aside: Aside = field(default_factory=Aside)
    bodies: Bodies = field(default_factory=Bodies)
    failures: Failures = field(default_factory=Failures)
    _turns: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def remember(self) -> None:
        """Fills the desk's cache with the answers that were kept last."""
        for kept in self.attempts.newest(REMEMBERED):
            reserved = self.policy.reserved_checks(kept.assignment, kept.question)
            place = (kept.student, kept.assignment, kept.question)
            self.desk.remember(Asked(*place, b"", kept.digest, reserved), kept.result)

    async def take(self, asked: Asked) -> Progress:
        """The ticket of a question.

        Raises:
            Refused: it comes too soon or too often, or the student or the queue is busy.
        """
        async with self._turns.setdefault(asked.student, asyncio.Lock()):
            if self.desk.is_busy_with(asked.student):
                return self._taken(asked)
            times = await self.aside(self._times, asked)
            before = len(times.get(asked.digest, ()))
            if before != 1 and not (before and self.desk.knows(asked.digest)):
                self._expect_allowed(_counted(times))
            progress = self._taken(asked)
            if progress.state == "answered" and not before:
                await self.aside(self.keep, progress)
            return progress

    def _taken(self, asked: Asked) -> Progress:
        try:
            return self.desk.take(asked)
        except Busy as error:
            raise Refused(409, refusals.STILL_UNDER_WAY, 2) from error
        except Full as error:
            raise Refused(503, refusals.QUEUE_FULL, error.retry_seconds) from error

    def keep(self, progress: Progress) -> None:
        """Keeps what was answered."""
        asked, result = progress.asked, progress.result
        assert result is not None
        seen = shown(self.policy, asked.assignment, result)
        place = (asked.student, asked.assignment, asked.slug)
        kept = KeptAttempt(self.now(), *place, asked.digest, seen.passed, result)
        self.attempts.keep(kept, seen.failed)

    def own(self, asker: Asker, id: str) -> Progress:
        """A ticket of the asker's.

        Raises:
            Refused: there is none of this id, or it is another's.
        """
        try:
            progress = self.desk.progress(id)
        except KeyError as error:
            raise Refused(404, refusals.NO_SUCH_CHECK) from error
        asked = progress.asked
        if asked.student != asker.student or asker.assignment not in (None, asked.assignment):
            raise Refused(404, refusals.NO_SUCH_CHECK)
        return progress

    async def ticket(self, progress: Progress) -> dict[str, Any]:
        """A ticket as JSON."""
        told, asked = None, progress.asked
        if progress.state == "answered" and progress.result is not None:
            told = await self.aside(self._answer, asked.student, asked.assignment, progress.result)
        return {
            "id": progress.id,
            "state": progress.state,
            "position": progress.position,
            "wait_seconds": round(progress.wait_seconds, 1),
            "answer": told,
            "sentence": progress.sentence,
        }

    def listed(self, asker: Asker, assignment: Assignment) -> dict[str, Any]:
        """The questions of an assignment, and how often the asker may still ask about each."""
        until = self.policy.open_until.get(assignment.id)
        numbers = {question.slug: n for n, question in enumerate(assignment.questions, start=1)}
        found = []
        for slug in self.questions.open_slugs(assignment.id):
            left, wait = self._allowance(asker.student, assignment.id, slug)
            title = human(slug, numbers[slug])
            told = {"slug": slug, "title": title, "attempts_left": left}
            found.append({**told, "wait_seconds": round(wait, 1)})
        return {
            "assignment": assignment.id,
            "open": self.policy.is_open(assignment.id, self.now()),
            "until": until and until.isoformat(),
            "questions": found,
        }

    def own_attempts(self, asker: Asker, assignment: Assignment) -> dict[str, Any]:
        """The asker's own attempts at an assignment, the newest first.

        One without a check that is reserved now is left out: it may hold it under an older name.
        """
        open_slugs = set(self.questions.open_slugs(assignment.id))
        found = []
        for kept in self.attempts.of_student(asker.student, assignment.id, LISTED):
            if kept.question in open_slugs:
                at = datetime.fromtimestamp(kept.at, UTC).isoformat(timespec="seconds")
                with suppress(Ungraded):
                    told = self._answer(kept.student, kept.assignment, kept.result)
                    found.append({"at": at, "answer": told})
        return {"assignment": assignment.id, "attempts": found}

    def _answer(self, student: str, assignment: str, result: Any) -> dict[str, Any]:
        allowance = self._allowance(student, assignment, result.slug)
        earlier = self.questions.earlier(assignment, result.slug)
        return answer(self.policy, assignment, result, allowance, earlier)

    def _allowance(self, student: str, assignment: str, slug: str) -> Allowance:
        times = self.attempts.times(student, assignment, slug, self.now() - HOUR)
        return self.policy.allowance(_counted(times), self.now())

    def _times(self, asked: Asked) -> dict[str, list[float]]:
        since = self.now() - HOUR
        return self.attempts.times(asked.student, asked.assignment, asked.slug, since)

    def _expect_allowed(self, times: list[float]) -> None:
        left, wait = self.policy.allowance(times, self.now())
        if not left:
            said = refusals.no_attempts_left(self.policy.attempts_an_hour, wait)
            raise Refused(429, said, wait)
        if wait > 0:
            raise Refused(429, refusals.too_soon(wait), wait)


def _counted(times: Mapping[str, Sequence[float]]) -> list[float]:
    """The times that count as attempts: all but the second of each digest."""
    return [at for answered in times.values() for n, at in enumerate(answered) if n != 1]
