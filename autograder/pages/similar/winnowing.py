"""Pieces of code that stay the same when it is disguised.

S. Schleimer, D. S. Wilkerson, A. Aiken, "Winnowing: local algorithms for document fingerprinting",
SIGMOD 2003, 76-85: of every `WINDOW` runs of `RUN` tokens in a row the one with the smallest hash
is kept, so that two texts that share `RUN + WINDOW - 1` tokens in a row always share a kept one.
Here a run lies within one statement, whose first and last are kept too: the order of statements
does not matter. Comments and docstrings are no tokens. A name that students choose is replaced by
how far back in its run it stood before (B. S. Baker, "A theory of parameterized pattern matching",
STOC 1993, 71-80), so that renaming changes nothing.

The tokens are read by a pattern of our own: `tokenize` and `ast` refuse what is no Python, and
need much longer. All of it takes time as the code is long.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from keyword import iskeyword, kwlist
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

RUN = 8  # tokens
WINDOW = 4  # runs
MAX_CODE = 100_000  # characters of a submission's code that are read

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.int64]
Bools = NDArray[np.bool_]

LANGUAGE = frozenset((*kwlist, *dir(builtins)))

_TOKEN = re.compile(
    r"""(?P<blank>(?:[ \t\f\r]|\\\r?\n|\#[^\n]*)++)
    |(?P<line>\n)
    |(?P<text>[rbfuRBFU]{0,2}+(?:
        \"\"\"(?:[^"\\]|\\.|"(?!""))*+(?:\"\"\")?
        |'''(?:[^'\\]|\\.|'(?!''))*+(?:''')?
        |"(?:[^"\\\n]|\\.)*+"?
        |'(?:[^'\\\n]|\\.)*+'?))
    |(?P<name>[^\W\d]\w*+)
    |(?P<number>\d[\w.]*+)
    |(?P<sign>\*\*|//|==|!=|<=|>=|->|:=|.)""",
    re.VERBOSE | re.DOTALL,
)
_TOLD = re.compile(r"\b(?:def|class)\s+(\w+)|\b(?:import|as)\s+(\w+)|\bimport\s+\(?([\w, ]+)")
_WORD = re.compile(r"\w+")
_EQUALS = re.compile(r"\s*+=(?!=)")
_PRIME = np.uint64(0x9E3779B97F4A7C15)
_NEVER = np.uint64(0xFFFFFFFFFFFFFFFF)
_FILLING, _CHOSEN = 1, 2  # what stands for no token, and for a name that a student chose


@dataclass(frozen=True)
class Pieces:
    """The kept runs of tokens of a submission; entry i of all belongs to one.

    Attributes:
        hashes: what the run says.
        cells: which of the submission's cells it stands in.
        starts, ends: where it stands in that cell, in characters.
        cut: whether the submission has more code than was read.
    """

    hashes: Hashes
    cells: Numbers
    starts: Numbers
    ends: Numbers
    cut: bool


class _Token(NamedTuple):
    """A token: what it says, the name that a student chose or "", and where it stands."""

    says: int
    chosen: str
    start: int
    end: int


def names_told(code: Iterable[str]) -> frozenset[str]:
    """The names that this code imports or defines, and those of the language."""
    found = (name for text in code for told in _TOLD.findall(text) for name in told)
    return LANGUAGE.union(*(_WORD.findall(name) for name in found))


def pieces(cells: Sequence[str], told: frozenset[str]) -> Pieces:
    """The pieces of the code in `cells`, in which the names `told` were not chosen by a student."""
    rows: list[tuple[int, ...]] = []
    left = MAX_CODE
    for cell, source in enumerate(cells):
        for statement in _statements(source[:left], told):
            back, number = _distances(statement), len(rows)
            rows += [
                (token.says, distance, number, cell, token.start, token.end)
                for token, distance in zip(statement, back, strict=True)
            ]
        left = max(left - len(source), 0)
    columns = np.array(rows, np.int64).reshape(-1, 6).T
    says, back_to, statements, cell_of, starts, ends = columns
    hashes = _hashes_of_runs(says.astype(np.uint64), back_to.astype(np.uint64))
    kept = _winnowed(hashes, statements[: len(hashes)] == statements[len(rows) - len(hashes) :])
    last = kept + RUN - 1
    cut = sum(map(len, cells)) > MAX_CODE
    return Pieces(hashes[kept], cell_of[kept], starts[kept], ends[last], cut)


def _statements(source: str, told: frozenset[str]) -> Iterator[list[_Token]]:
    """The statements of a cell, each filled up to `RUN` tokens; no docstrings."""
    statement: list[re.Match[str]] = []
    depth = 0
    for match in chain(_TOKEN.finditer(source), _TOKEN.finditer("\n")):
        kind, sign = match.lastgroup, match[0]
        if kind == "line" or (sign == ";" and depth == 0):
            if depth == 0 or match.string is not source:
                docstring = all(one.lastgroup == "text" for one in statement)
                if not docstring and (tokens := _tokens(statement, told)):
                    yield _filled(tokens)
                statement = []
        elif kind != "blank":
            depth = max(depth + (sign in "([{") - (sign in ")]}"), 0)
            statement.append(match)


def _tokens(statement: Sequence[re.Match[str]], told: frozenset[str]) -> list[_Token]:
    """The tokens of a statement without the parentheses that only group."""
    found: list[_Token] = []
    opened: list[bool] = []  # brackets, and whether each belongs to what stands before it
    earlier, before, kind = "", "", ""
    for match in statement:
        text, kind_before, kind = match[0], kind, match.lastgroup or ""
        kept = True
        if text in ("(", "[", "{"):
            calls = before in (")", "]") or (kind_before == "name" and not iskeyword(before))
            kept = text != "(" or calls
            opened.append(kept)
        elif text in (")", "]", "}") and opened:
            kept = opened.pop()
        own = kind == "name" and (before != "." or earlier == "self")
        if own and text not in told and not (opened and _EQUALS.match(match.string, match.end())):
            found.append(_Token(_CHOSEN, text, *match.span()))
        elif kept:
            said = crc32(text.strip("\"'").encode("utf-8", "replace")) + _CHOSEN + 1
            found.append(_Token(said, "", *match.span()))
        earlier, before = before, text
    return found


def _filled(statement: list[_Token]) -> list[_Token]:
    end = statement[-1].end
    return statement + [_Token(_FILLING, "", end, end)] * (RUN - len(statement))


def _distances(statement: Sequence[_Token]) -> list[int]:
    """How many tokens earlier each chosen name stood in the statement; 0 for the first time."""
    last: dict[str, int] = {}
    found = []
    for place, token in enumerate(statement):
        found.append(place - last.get(token.chosen, place) if token.chosen else 0)
        if token.chosen:
            last[token.chosen] = place
    return found


def _hashes_of_runs(says: Hashes, back: Hashes) -> Hashes:
    """One hash for each `RUN` tokens in a row; what stood before a run does not matter to it."""
    count = max(len(says) - RUN + 1, 0)
    made = np.zeros(count, np.uint64)
    for place in range(RUN):
        distance = back[place : place + count]
        inside = np.where(distance <= place, distance, 0)
        made = (made ^ (says[place : place + count] + (inside << np.uint64(33)))) * _PRIME
        made ^= made >> np.uint64(29)
    return np.asarray(made, np.uint64)


def _winnowed(hashes: Hashes, inside: Bools) -> Numbers:
    """Places of the runs that are kept: the last smallest of every window of those `inside` one.

    Between the runs of two statements lie more that are in neither than a window is long.
    """
    padded = np.concatenate([np.where(inside, hashes, _NEVER), np.full(WINDOW - 1, _NEVER)])
    padded = np.concatenate([np.full(WINDOW - 1, _NEVER), padded])
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[:, ::-1]
    places = np.arange(len(windows)) - windows.argmin(axis=1)
    kept = np.unique(places[(places >= 0) & (places < len(hashes))])
    return np.asarray(kept[inside[kept]], np.int64)
