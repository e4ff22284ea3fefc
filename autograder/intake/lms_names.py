"""What the name of a downloaded file says: whose it is, which version, when it was handed in."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath
from typing import NamedTuple
from zoneinfo import ZoneInfo

COPY = re.compile(r"(?P<base>.*?)(?:~(\d+)| ?\((\d+)\))")  # a browser's or our own number
RESUBMITTED = re.compile(r"(?P<base>.*?)-(\d+)")  # Canvas' number


class Convention(NamedTuple):
    """How an LMS names a file or folder: a pattern of its name, and the format of its time."""

    pattern: str
    time: str = ""


CONVENTIONS = {
    "Moodle": Convention(
        r"(?P<person>.+?)_(?P<student>\d+)_assignsubmission_[a-z]+(?:_(?P<own>.*))?"
    ),
    "Blackboard": Convention(
        r".+?_(?P<student>[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<own>.*))?",
        "%Y-%m-%d-%H-%M-%S",
    ),
    "Brightspace": Convention(
        r"(?P<student>\d+)-\d+ - (?P<person>.+?) - "
        r"(?P<time>[A-Z][a-z]{2} \d{1,2}, \d{4} \d{3,4} [AP]M)",
        "%b %d, %Y %I%M %p",
    ),
    "Canvas": Convention(
        r"(?P<person>[^_]+)_(?P<late>LATE_)?(?P<student>\d+)_\d+(?:_(?P<own>.*))?"
    ),
}


@dataclass(frozen=True)
class NameParts:
    """What a name tells.

    Attributes:
        student: the student's id; empty when the name tells of none.
        person: the student's name, if it is there.
        own: the name that the student gave to the file, without suffix and version.
        version: the number that an LMS or a browser put behind it.
        when: the time of submission in UTC, without a zone as nbgrader keeps it.
        late: whether the LMS marked it as late.
    """

    student: str
    own: str
    version: int = 0
    person: str = ""
    when: datetime | None = None
    late: bool = False


def said_by_lms(
    name: PurePath, zone: str, conventions: Collection[str] = tuple(CONVENTIONS)
) -> NameParts | None:
    """What an LMS' part of a path says; None when no part is an LMS' own.

    That part is the outermost one, or lies in the folder of the downloaded archive. Behind the
    student in it, and in all further parts, students wrote what they liked.

    Args:
        name: path below the folder of all files.
        zone: the time zone of the times in names.
        conventions: the LMSs whose names are known.
    """
    for part in name.parts[:2]:
        found = [said for c in conventions if (said := _read(part, name, CONVENTIONS[c], zone))]
        if found:
            return min(found, key=lambda pair: pair[0])[1]
    return None


def _read(part: str, name: PurePath, lms: Convention, zone: str) -> tuple[int, NameParts] | None:
    """Where a part of a path names the student, and what it says; None if it is not this LMS'."""
    match = re.fullmatch(lms.pattern, part)
    if match is None:
        return None
    groups = match.groupdict()
    try:
        when = _utc(groups["time"], lms.time, zone) if lms.time else None
    except (ValueError, OverflowError):  # a student can make up a month 13
        return None
    own = (groups.get("own") if part == name.name else "") or name.name
    base, version = numbered(PurePath(own).stem, COPY, RESUBMITTED)
    person, late = groups.get("person") or "", bool(groups.get("late"))
    said = NameParts(groups["student"].strip(), base, version, person, when, late)
    return match.start("student"), said


def said_plainly(name: PurePath, titles: Collection[str], folder: str) -> NameParts:
    """What `alice.ipynb`, `alice_a1.ipynb` or `alice/a1.ipynb` says.

    Args:
        titles: what assignment and notebook are called.
        folder: the student where the file is called like the assignment.
    """
    own, version = numbered(name.stem, COPY)
    base, number = numbered(own, RESUBMITTED)
    either = "|".join(map(re.escape, titles))
    if re.fullmatch(either, base, re.IGNORECASE):
        return NameParts(folder.strip(), base, max(version, number))
    ending = re.fullmatch(rf"(.+?)[ _-]+({either})(?:-(\d+))?", own, re.IGNORECASE)
    if ending is None:
        return NameParts(own.strip(), own, version)
    return NameParts(ending[1].strip(), ending[2], max(version, int(ending[3] or 0)))


def numbered(name: str, *patterns: re.Pattern[str]) -> tuple[str, int]:
    """A name without the number that was put behind it, and that number."""
    for pattern in patterns:
        if match := pattern.fullmatch(name):
            return match["base"], int(next(filter(None, match.groups()[1:])))
    return name, 0


def _utc(text: str, form: str, zone: str) -> datetime:
    local = datetime.strptime(text, form).replace(tzinfo=ZoneInfo(zone))
    return local.astimezone(UTC).replace(tzinfo=None)
