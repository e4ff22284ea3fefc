"""What workers of this machine start from, loaded beside the caller's own work.

Theory of operation. A worker is a fork of the fork server, and its boxes are forks of a zygote that
it is lent. Both take seconds to load what grading needs. What both need is loaded once: the first
zygote is itself a fork of the fork server, made before that has loaded what only workers need. From
then on neither waits for the other, nor for what the head loads to record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from autograder.box.outside.lending import Lender
from autograder.box.outside.zygotes import StartedZygote
from autograder.course.assignments import Assignment
from autograder.farm import forkserver
from autograder.grading.names import imported_modules


@contextmanager
def warming(assignments: Sequence[Assignment], scratch: Path) -> Iterator[Mapping[str, str]]:
    """Where zygotes are lent, by assignment.

    The first assignment's zygote is warmed at once, those of others when they are asked for.
    `scratch`: where the workers will keep their files, which no box sees.
    """
    with forkserver.running() as start_first, ExitStack() as lenders:
        yield {
            one.id: lenders.enter_context(
                Lender(
                    imported_modules(one.release),
                    [*one.hidden_folders(), scratch],
                    at_once=not place,
                    start=StartedZygote if place else start_first,
                )
            ).address
            for place, one in enumerate(assignments)
        }
