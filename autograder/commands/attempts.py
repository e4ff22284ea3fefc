"""`autograder attempts`: what the check service has kept of students, to give out or to erase."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from autograder.commands import GRADED, Commands, need_service
from autograder.course.assignments import Course

if TYPE_CHECKING:
    from autograder.service.attempts import KeptAttempt


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    attempts = commands.add_parser("attempts", help="export or erase what the check service kept")
    what = attempts.add_mutually_exclusive_group(required=True)
    what.add_argument("--export", metavar="STUDENT", help="print all that is kept of a student")
    what.add_argument("--erase", metavar="STUDENT", help="remove all that is kept of a student")
    what.add_argument(
        "--pseudonyms", action="store_true", help="replace all names for good, as after the term"
    )
    attempts.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    need_service()
    from autograder.service.attempts import Attempts, database_url
    from autograder.service.policy import read_policy
    from autograder.service.who import is_pseudonym, pseudonym, pseudonyms_key

    course = Course.find()
    attempts = Attempts(database_url(course, read_policy(course)))
    try:
        known = attempts.students()
        key = pseudonyms_key(course, known)
        if options.pseudonyms:
            real = [name for name in known if not is_pseudonym(name)]
            attempts.rename({name: pseudonym(name, key) for name in real})
            print(f"names replaced: {len(real)}")
            return GRADED
        student = options.export if options.erase is None else options.erase
        names = {student, pseudonym(student, key)}
        if options.erase is None:
            _print([kept for name in sorted(names) for kept in attempts.of_student(name)])
        else:
            print(f"attempts erased: {attempts.erase(names)}")
    finally:
        attempts.close()
    return GRADED


def _print(found: list[KeptAttempt]) -> None:
    json.dump([_record(kept) for kept in found], sys.stdout, indent=1)
    print()


def _record(kept: KeptAttempt) -> dict[str, Any]:
    at = datetime.fromtimestamp(kept.at, UTC).isoformat()
    return {**vars(kept), "at": at, "result": kept.result.as_record()}
