"""What to do about what a database says of the gradebook, whoever asked it."""

from __future__ import annotations

import re

UPGRADE = "it is of another version of nbgrader: run `nbgrader db upgrade`, and then this again"
_ADVICE = {
    r"no such (column|table)|has no column|column .*does not exist": UPGRADE,
    r"database is locked": "another program holds it: let it finish or close it (formgrader, a "
    "program that shows databases), and then run this again",
    r"readonly database": "it may not be written to: mend the rights of the file and its folder",
    r"disk is full|No space left|quota exceeded": "free some space, and then run this again",
}


def with_advice(said: str) -> str:
    """What a driver says of its error, and what to do about it where that is known."""
    found = (advice for words, advice in _ADVICE.items() if re.search(words, said, re.IGNORECASE))
    return "; ".join([said, *list(found)[:1]])
