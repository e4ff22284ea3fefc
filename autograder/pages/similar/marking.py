"""Code with some of its parts marked, and the lines far from them left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

AROUND = 1  # lines shown before and after one with a mark
MAX_LINES = 60  # of a cell that are shown
MAX_WIDTH = 200  # characters of a line that are shown


@dataclass(frozen=True)
class Line:
    """A line of code: its parts, each with whether it is marked; without any, lines left out.

    Attributes:
        left_out: how many lines, where none is shown.
    """

    parts: Sequence[tuple[str, bool]]
    left_out: int = 0


def marked_lines(source: str, spans: Iterable[tuple[int, int]]) -> list[Line]:
    """The lines of `source` near a part that `spans` mark, by places of characters."""
    lines, shown = list(_lines(source, _merged(spans))), set[int]()
    for number, line in enumerate(lines):
        if any(marked for _, marked in line.parts):
            shown.update(range(number - AROUND, number + AROUND + 1))
    kept, found, gap = 0, list[Line](), 0
    for number, line in enumerate(lines):
        if number in shown and kept < MAX_LINES:
            if gap:
                found.append(Line((), gap))
            found.append(line)
            kept, gap = kept + 1, 0
        else:
            gap += 1
    return [*found, Line((), gap)] if gap else found


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, those that touch made one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _lines(source: str, spans: Sequence[tuple[int, int]]) -> Iterator[Line]:
    place, next_span = 0, 0
    for text in source.split("\n"):
        end, parts, at = place + len(text), list[tuple[str, bool]](), place
        while next_span < len(spans) and spans[next_span][0] < end:
            first, last = spans[next_span]
            parts += [(source[at : max(first, at)], False)]
            at = min(last, end)
            parts += [(source[max(first, place) : at], True)]
            if last > end:
                break
            next_span += 1
        parts.append((source[at:end], False))
        yield Line(_narrow([part for part in parts if part[0]]))
        place = end + 1


def _narrow(parts: Iterable[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """At most `MAX_WIDTH` characters, with an ellipsis where more were."""
    found, left = list[tuple[str, bool]](), MAX_WIDTH
    for text, marked in parts:
        if len(text) > left:
            return [*found, (text[:left] + "\N{HORIZONTAL ELLIPSIS}", marked)]
        found.append((text, marked))
        left -= len(text)
    return found
