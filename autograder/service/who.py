"""Who asks: signed tokens for students anywhere, or nobody but the one who tries the service out.

Theory of operation. A token is a JSON Web Token (RFC 7519) of one algorithm, signed with a key that
lies beside the course's gradebook in a file that only its owner may read. It names the student,
until when it holds and, if it is for one assignment alone, which. With another key every token is
another's: to revoke all of them, remove the file and give out new ones. `hub.py` asks a JupyterHub.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import jwt

from autograder.course.assignments import Course
from autograder.errors import UsageError
from autograder.files import write_whole
from autograder.service.policy import Policy
from autograder.service.tables import NAME_CHARS

KEY_NAME, PSEUDONYMS_KEY_NAME = "service.key", "pseudonyms.key"
KEY_BYTES = 32
TOKEN_CHARS = 2048
DAY = 86_400  # seconds
_ALGORITHM, _AUDIENCE = "HS256", "autograder check service"
_PSEUDONYM_DIGITS = 12
# nbgrader makes a folder of the name, and its exchange parts names at these signs.
_NO_NAME = re.compile(r"[/\\+*\x00-\x1f\x7f-\x9f]|\s{2}|^\s|\s$|^\.{1,2}$|^$|[\ud800-\udfff]")


@dataclass(frozen=True)
class Asker:
    """Someone who asks.

    Attributes:
        assignment: the only one they may ask about; None for all.
        instructs: whether they may see the instructor's page.
    """

    student: str
    assignment: str | None = None
    instructs: bool = False


class Door(Protocol):
    """What tells askers by their tokens."""

    async def asker(self, token: str) -> Asker | None:
        """Who has this token, empty for none; None for nobody that is known."""

    def knows(self, token: str) -> bool:
        """Whether the token can be told without asking anyone, or was confirmed before."""


def is_student_name(name: str) -> bool:
    """Whether nbgrader can have a student of this name."""
    return len(name) <= NAME_CHARS and _NO_NAME.search(name) is None


def expect_student_name(name: str) -> str:
    """`name`, if nbgrader can have a student of it.

    Raises:
        UsageError: it cannot.
    """
    if not is_student_name(name):
        raise UsageError(f"{name!r} can be no student's name: use the name that nbgrader knows")
    return name


def key_file(course: Course) -> Path:
    """Where the key of a course lies."""
    return course.root / KEY_NAME


def make_key(path: Path) -> None:
    """Makes the key, unless there is one.

    Raises:
        UsageError: see `read_key`.
    """
    if not os.path.lexists(path):
        write_whole(path, secrets.token_hex(KEY_BYTES).encode(), mode=0o600)
    read_key(path)


def read_key(path: Path) -> bytes:
    """The key that tokens are signed with, or pseudonyms made.

    Raises:
        UsageError: there is none, or others than its owner can read it.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(
            f"cannot read the key {path} ({error.strerror}): make one with `autograder token`"
        ) from error
    with open(fd, "rb") as file:
        if stat.S_IMODE(os.fstat(fd).st_mode) & 0o077:
            raise UsageError(f"others can read the key {path}: run `chmod 600 {path}`")
        found = file.read(KEY_BYTES * 4).strip()
    if len(found) < KEY_BYTES:
        raise UsageError(f"the key {path} is too short to be safe: remove it, and make new tokens")
    return found


class Tokens:
    """The signed tokens of a course; the key is read anew each time, since it may change."""

    def __init__(self, path: Path, policy: Policy) -> None:
        self._path = path
        self._instructors = policy.instructors

    def made(self, student: str, days: float, assignment: str | None = None) -> str:
        """A token for a student that holds for so many days.

        Raises:
            UsageError: the name can be no student's, or the key cannot be read.
        """
        now = int(time.time())
        claims = {"sub": expect_student_name(student), "aud": _AUDIENCE, "iat": now}
        claims |= {"exp": now + int(days * DAY)}
        claims |= {"assignment": assignment} if assignment is not None else {}
        return jwt.encode(claims, read_key(self._path), _ALGORITHM)

    async def asker(self, token: str) -> Asker | None:
        """See `Door`."""
        return self.read(token)

    def knows(self, token: str) -> bool:
        """See `Door`."""
        return True

    def read(self, token: str) -> Asker | None:
        """Whose a token is; None for one that is forged, of another key, or over."""
        if len(token) > TOKEN_CHARS or not token.isascii():
            return None
        try:
            claims = jwt.decode(
                token,
                read_key(self._path),
                [_ALGORITHM],
                audience=_AUDIENCE,
                options={"require": ["sub", "exp", "aud", "iat"]},
            )
        except (jwt.InvalidTokenError, UsageError):
            return None
        student, assignment = claims["sub"], claims.get("assignment")
        if not isinstance(student, str) or not is_student_name(student):
            return None
        if assignment is not None and not isinstance(assignment, str):
            return None
        return Asker(student, assignment, student in self._instructors)


class Open:
    """Whoever reaches the service is one and the same student, and may see every page."""

    def __init__(self, student: str) -> None:
        self._asker = Asker(expect_student_name(student), instructs=True)

    async def asker(self, token: str) -> Asker | None:
        """See `Door`."""
        return self._asker

    def knows(self, token: str) -> bool:
        """See `Door`."""
        return True


def pseudonyms_key(course: Course, names: Iterable[str]) -> bytes:
    """The key that pseudonyms are made with; it is made unless there is one.

    Args:
        names: those in use. Pseudonyms among them without a key of their own were made with that of
            the tokens, which is kept for them.

    Raises:
        UsageError: see `read_key`.
    """
    path, before = course.root / PSEUDONYMS_KEY_NAME, key_file(course)
    if not os.path.lexists(path) and before.is_file() and any(map(is_pseudonym, names)):
        write_whole(path, read_key(before), mode=0o600)
    make_key(path)
    return read_key(path)


def pseudonym(student: str, key: bytes) -> str:
    """What stands for a name where names are replaced; nobody can tell it without the key."""
    digest = hmac.new(key, f"pseudonym of {student}".encode(), hashlib.sha256).hexdigest()
    return f"student-{digest[:_PSEUDONYM_DIGITS]}"


def is_pseudonym(name: str) -> bool:
    return re.fullmatch(rf"student-[0-9a-f]{{{_PSEUDONYM_DIGITS}}}", name) is not None
