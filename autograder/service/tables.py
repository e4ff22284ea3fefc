"""The tables in which attempts are kept; `migrations/` makes and changes them."""

from __future__ import annotations

from sqlalchemy import Double, ForeignKey, Index, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

NAME_CHARS = 128  # of a student, an assignment or a question, as nbgrader has it


class Table(DeclarativeBase):
    """What all tables of the service are."""


class Attempt(Table):
    """One answered question of one student.

    Attributes:
        at: seconds of the epoch.
        digest: of all that the answer depends on.
        passed: whether the checks that are not reserved did.
        result: the verdict as JSON, with the reserved checks.
    """

    __tablename__ = "check_service_attempt"
    __table_args__ = (
        Index("check_service_attempt_of", "student", "assignment", "question", "at"),
        Index("check_service_attempt_on", "assignment", "at"),
        Index("check_service_attempt_at", "at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[float] = mapped_column(Double)
    student: Mapped[str] = mapped_column(String(NAME_CHARS))
    assignment: Mapped[str] = mapped_column(String(NAME_CHARS))
    question: Mapped[str] = mapped_column(String(NAME_CHARS))
    digest: Mapped[str] = mapped_column(String(64))
    passed: Mapped[bool]
    result: Mapped[str] = mapped_column(Text)
    mistakes: Mapped[list[Mistake]] = relationship(
        order_by="Mistake.id", cascade="all, delete-orphan", lazy="selectin"
    )


class Mistake(Table):
    """One check that an attempt failed, and what was said of it.

    Attributes:
        kind: of the diagnosis: misconception, kind, place; empty where there is none.
        name: of the diagnosis.
        sentence: the diagnosis, or else the first line of the message.
    """

    __tablename__ = "check_service_mistake"

    id: Mapped[int] = mapped_column(primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey(Attempt.id, ondelete="CASCADE"), index=True)
    check_name: Mapped[str] = mapped_column(String(NAME_CHARS))
    kind: Mapped[str] = mapped_column(String(32))
    name: Mapped[str] = mapped_column(String(NAME_CHARS))
    sentence: Mapped[str] = mapped_column(Text)
