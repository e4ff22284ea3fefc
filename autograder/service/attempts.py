"""The attempts of all students, kept in a database.

Theory of operation. An attempt is kept before anyone is told of its answer, and the commit is on
the disk when `keep` returns: what was answered is never lost. SQLite keeps it in one file with a
journal beside it (WAL), so that reading never waits for writing; a server is named by its URL. The
tables are made and brought up to date by alembic when a store is opened.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Engine, create_engine, delete, event, func, select, text, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.orm import Session, load_only

from autograder.course.assignments import Course
from autograder.course.folders import Folders
from autograder.course.gradebook import SQLITE, first_line
from autograder.course.settings import read_config
from autograder.errors import UsageError
from autograder.pages.class_report.asking import Ask, Asking, asking
from autograder.pages.class_report.effects import PLACE
from autograder.results.model import CheckResult, QuestionResult
from autograder.service.policy import Policy
from autograder.service.tables import Attempt, Mistake
from autograder.service.who import KEY_NAME

DATABASE = "service.db"
SERVER_SECONDS = 5  # to reach a database server, and for one statement
ROWS = 500  # in memory at a time, where all are read
LIBPQ = ("psycopg", "psycopg2")  # drivers that can be told these seconds


@dataclass(frozen=True)
class KeptAttempt:
    """One attempt as it was kept; see `tables.Attempt`."""

    at: float
    student: str
    assignment: str
    question: str
    digest: str
    passed: bool
    result: QuestionResult

    @classmethod
    def of(cls, row: Attempt) -> Self:
        result = QuestionResult.from_dict(json.loads(row.result))
        return cls(
            row.at, row.student, row.assignment, row.question, row.digest, row.passed, result
        )


def database_url(course: Course, policy: Policy) -> str:
    """Where the attempts of a course are kept: by the policy, on the gradebook's server, or in a
    file of the course."""
    if policy.database:
        return policy.database
    gradebook = Folders(course, read_config(course.root), "").db_url
    return f"{SQLITE}{course.root / DATABASE}" if gradebook.startswith(SQLITE) else gradebook


class Attempts:
    """The store; any thread may use it.

    Raises:
        UsageError: the database cannot be opened.
        SQLAlchemyError: from every method, while the database does not answer.
    """

    def __init__(self, url: str) -> None:
        try:
            self._engine = _engine(url)
            _migrate(self._engine)
        except (ArgumentError, SQLAlchemyError, ImportError, OSError) as error:
            raise UsageError(
                f"cannot open the database of attempts: {first_line(error)}: is the server up, is "
                "its driver installed, and may you write there?"
            ) from error

    def close(self) -> None:
        self._engine.dispose()

    def ping(self) -> None:
        """Raises what is wrong with the database, if anything is."""
        with self._engine.connect() as connection:
            connection.execute(text("SELECT 1"))

    def keep(self, kept: KeptAttempt, failed: list[CheckResult]) -> None:
        """Keeps an attempt; it is on the disk afterwards. `failed` are the checks it was told."""
        row = Attempt(**{**_columns(kept), "result": json.dumps(kept.result.as_record())})
        row.mistakes = [_mistake(check) for check in failed]
        with self._begun() as session:
            session.add(row)

    def times(
        self, student: str, assignment: str, question: str, since: float
    ) -> dict[str, list[float]]:
        """When what was asked since then was answered by a worker or for the first time."""
        query = (
            select(Attempt.digest, Attempt.at)
            .where(Attempt.student == student, Attempt.assignment == assignment)
            .where(Attempt.question == question, Attempt.at >= since)
            .order_by(Attempt.at)
        )
        found: dict[str, list[float]] = {}
        with self._begun() as session:
            for digest, at in session.execute(query):
                found.setdefault(digest, []).append(at)
        return found

    def of_student(
        self, student: str, assignment: str | None = None, most: int = -1
    ) -> list[KeptAttempt]:
        """A student's attempts, the newest first; of all assignments where none is named."""
        query = select(Attempt).where(Attempt.student == student).order_by(Attempt.id.desc())
        if assignment is not None:
            query = query.where(Attempt.assignment == assignment)
        return self._kept(query.limit(most) if most >= 0 else query)

    def newest(self, most: int) -> list[KeptAttempt]:
        """So many of all attempts, the oldest of them first."""
        return self._kept(select(Attempt).order_by(Attempt.id.desc()).limit(most))[::-1]

    def asks(self, assignment: str) -> list[Ask]:
        """All attempts at one assignment, for pages, in the order in which they were made."""
        needed = load_only(Attempt.student, Attempt.question, Attempt.digest, Attempt.passed)
        query = select(Attempt).where(Attempt.assignment == assignment).order_by(Attempt.id)
        with self._begun() as session:
            rows = session.scalars(query.options(needed), execution_options={"yield_per": ROWS})
            return [_ask(row) for row in rows]

    def count_since(self, since: float) -> int:
        """How many attempts were answered since then, in seconds of the epoch."""
        query = select(func.count()).select_from(Attempt).where(Attempt.at >= since)
        with self._begun() as session:
            return session.scalar(query) or 0

    def erase(self, names: set[str]) -> int:
        """Removes all that is kept under these names; returns how many attempts that were."""
        with self._begun() as session:
            of_these = select(Attempt.id).where(Attempt.student.in_(names))
            session.execute(delete(Mistake).where(Mistake.attempt_id.in_(of_these)))
            session.flush()
            gone = session.execute(delete(Attempt).where(Attempt.student.in_(names)))
        self._forget()
        return int(getattr(gone, "rowcount", 0))

    def students(self) -> list[str]:
        """Under which names attempts are kept."""
        with self._begun() as session:
            return sorted(session.scalars(select(Attempt.student).distinct()))

    def rename(self, names: dict[str, str]) -> None:
        """Replaces names of students."""
        with self._begun() as session:
            for name, other in names.items():
                session.execute(
                    update(Attempt).where(Attempt.student == name).values(student=other)
                )
        self._forget()

    def _kept(self, query: Any) -> list[KeptAttempt]:
        with self._begun() as session:
            return [KeptAttempt.of(row) for row in session.scalars(query)]

    @contextmanager
    def _begun(self) -> Iterator[Session]:
        with Session(self._engine) as session, session.begin():
            yield session

    def _forget(self) -> None:
        """Leaves nothing of what was removed in SQLite's journal."""
        if self._engine.dialect.name == "sqlite":
            with self._engine.connect() as connection:
                connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))


def asking_in(attempts: Attempts, assignment: str, order: Sequence[str]) -> list[Asking]:
    """What was asked about the questions of an assignment, for pages."""
    return asking(attempts.asks(assignment), order)


def asked_about(course: Course, policy: Policy, assignment: str) -> list[Asking]:
    """What a class asked about an assignment, for pages; nothing where no service ever ran.

    Raises:
        UsageError: the database cannot be opened.
    """
    if not policy.database and not (course.root / KEY_NAME).is_file():
        return []
    attempts = Attempts(database_url(course, policy))
    try:
        order = [question.slug for question in course.assignment(assignment).questions]
        return asking_in(attempts, assignment, order)
    finally:
        attempts.close()


def _ask(row: Attempt) -> Ask:
    told = tuple(dict.fromkeys(map(_told, row.mistakes)))
    return Ask(row.student, row.question, row.digest, row.passed, told)


def _told(mistake: Mistake) -> str:
    """A sentence as all who read it did: places differ from answer to answer."""
    return PLACE if mistake.kind == "place" else mistake.sentence


def _columns(kept: KeptAttempt) -> dict[str, Any]:
    return {name: value for name, value in vars(kept).items() if name != "result"}


def _mistake(check: CheckResult) -> Mistake:
    told = check.diagnosis
    return Mistake(
        check_name=check.name,
        kind=told.source if told else "",
        name=told.name if told else "",
        sentence=told.sentence if told else check.message.partition("\n")[0],
    )


def _engine(url: str) -> Engine:
    known = make_url(url)
    if known.get_backend_name() == "sqlite":
        if known.database:
            os.close(os.open(known.database, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        engine = create_engine(known, connect_args={"timeout": SERVER_SECONDS})
        event.listen(engine, "connect", _prepare_sqlite)
        return engine
    if known.get_backend_name() != "postgresql" or known.get_driver_name() not in LIBPQ:
        raise UsageError(
            f"the database of attempts cannot be {known.drivername}: let c.CheckService.database "
            "name a file of SQLite, or PostgreSQL with psycopg"
        )
    options = f"-c statement_timeout={SERVER_SECONDS * 1000}"
    patience = {"keepalives_idle": SERVER_SECONDS, "tcp_user_timeout": SERVER_SECONDS * 1000}
    arguments = {"connect_timeout": SERVER_SECONDS, "options": options, **patience}
    return create_engine(known, pool_pre_ping=True, connect_args=arguments)


def _prepare_sqlite(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    for setting in (
        "journal_mode=WAL",
        "synchronous=FULL",  # a commit outlives a power cut
        "foreign_keys=ON",
        "secure_delete=ON",  # what is erased is overwritten
    ):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _migrate(engine: Engine) -> None:
    """Makes the tables, or brings them up to date."""
    from alembic import command
    from alembic.config import Config

    config, steps = Config(), str(Path(__file__).parent / "migrations")
    config.set_main_option("script_location", steps.replace("%", "%%"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
