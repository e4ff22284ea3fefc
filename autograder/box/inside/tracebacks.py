"""Tracebacks short enough to be shown in time: of a recursion, that takes longer than the cell."""

from __future__ import annotations

from types import TracebackType

FRAMES = 40  # that are shown at most, half of them from where the call began


def shortened(traceback: TracebackType | None) -> TracebackType | None:
    """The same without the frames in the middle where there are too many."""
    frames = []
    while traceback is not None:
        frames.append(traceback)
        traceback = traceback.tb_next
    if len(frames) <= FRAMES:
        return frames[0] if frames else None
    last: TracebackType | None = None
    for one in reversed([*frames[: FRAMES // 2], *frames[-FRAMES // 2 :]]):
        last = TracebackType(last, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return last
