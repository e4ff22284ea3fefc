"""The questions that may be asked about, and what an answer to one rests on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from autograder.course.assignments import Assignment
from autograder.errors import UsageError
from autograder.grading.dependencies import Dependencies
from autograder.grading.identity import Identity
from autograder.service import refusals
from autograder.service.bodies import Wanted
from autograder.service.policy import Policy
from autograder.service.refusals import Refused
from autograder.service.tickets import Asked
from autograder.service.who import Asker


class Questions:
    """Those of the assignments that the workers were handed, in the state in which they were.

    Args:
        now: tells the seconds of the epoch.
    """

    def __init__(
        self,
        identities: Iterable[Identity],
        policy: Policy,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._identities = {identity.assignment.id: identity for identity in identities}
        self._dependencies: dict[str, Dependencies] = {}
        self._policy = policy
        self._now = now

    @property
    def assignments(self) -> list[str]:
        return sorted(self._identities)

    def assignment(self, asker: Asker, name: str) -> Assignment:
        """The assignment called `name`.

        Raises:
            Refused: there is none with checks, or the asker's token is for another.
        """
        if name not in self._identities:
            raise Refused(404, refusals.NO_SUCH_QUESTION)
        if asker.assignment not in (None, name):
            raise Refused(403, refusals.NOT_FOR_YOU)
        return self._identities[name].assignment

    def slugs(self, name: str) -> list[str]:
        """All questions of the assignment called `name`."""
        return [question.slug for question in self._identities[name].assignment.questions]

    def open_slugs(self, name: str) -> list[str]:
        """The questions of an assignment that are not wholly reserved."""
        return [slug for slug in self.slugs(name) if not self._policy.is_reserved(name, slug)]

    def earlier(self, name: str, slug: str) -> list[str]:
        """The questions that one rests on and that may be asked about; none where that is not
        known, for want of the instructor's notebook."""
        if name not in self._dependencies:
            assignment = self._identities[name].assignment
            with suppress(UsageError):
                self._dependencies[name] = Dependencies(assignment, assignment.solved)
        known = self._dependencies.get(name)
        found = known.earlier_questions(slug) if known is not None else []
        return [one for one in found if one in self.open_slugs(name)]

    def asked(self, asker: Asker, wanted: Wanted) -> Asked:
        """What goes to the desk.

        Raises:
            Refused: there is no such question, or it may not be asked about.
        """
        name, slug = self.assignment(asker, wanted.assignment).id, wanted.slug
        if slug not in self.slugs(name):
            raise Refused(404, refusals.NO_SUCH_QUESTION)
        if self._policy.is_reserved(name, slug):
            raise Refused(403, refusals.RESERVED)
        if not self._policy.is_open(name, self._now()):
            raise Refused(403, refusals.CLOSED)
        reserved = self._policy.reserved_checks(name, slug)
        parts = (slug.encode(), ",".join(sorted(reserved)).encode(), wanted.notebook)
        digest = self._identities[name].of_submission(*parts)
        return Asked(asker.student, name, slug, wanted.notebook, digest, reserved)
