"""What an output may hold on its way to the grader: plain JSON of kinds that a page shows.

A figure of a library may carry all of its numbers for a viewer that no page has, and a display may
nest more deeply, or hold more parts, than the grader takes from a stranger. None of this is a
fault of the student's: it is left out here, or cut, and a note says so where nothing else is left.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from datetime import date
from numbers import Integral, Real
from typing import Any

from autograder.box.wire import MIME_TYPES

MAX_TRACEBACK = 1_000  # lines
NOTE_CHARACTERS = 1_000


def prepared(output: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """An output as it comes out of JSON, with MIME_TYPES only, and its size there in bytes.

    Raises:
        TypeError, ValueError: the output cannot be written as JSON.
    """
    if "traceback" in output:
        return as_json({**output, "traceback": _shortened(output["traceback"])})
    return as_json(_of_known_types(output) if "data" in output else output)


def note_for(output: dict[str, Any], size: int) -> tuple[dict[str, Any], int]:
    """What stands in the place of an output that has too many bytes."""
    if "traceback" in output:
        said = str(output["evalue"])[:NOTE_CHARACTERS]
        return as_json({**output, "evalue": said, "traceback": [f"{output['ename']}: {said}"]})
    note = f"[not kept: a display of {size:,} bytes ({_listed(output['data'])})]"
    return as_json({**output, "data": {"text/plain": note}, "metadata": {}})


def _of_known_types(output: dict[str, Any]) -> dict[str, Any]:
    found = {mime: _text(item) for mime, item in output["data"].items() if mime in MIME_TYPES}
    data = {mime: text for mime, text in found.items() if text is not None}
    if output["data"] and not data:
        data["text/plain"] = f"[not kept: {_listed(output['data'])}, which no page shows]"
    sizes = {mime: _sizes(output.get("metadata"), mime) for mime in data}
    metadata = {mime: found for mime, found in sizes.items() if found}
    return {**output, "data": data, "metadata": metadata}


def _listed(data: Iterable[Any]) -> str:
    return ", ".join(map(str, data))[:NOTE_CHARACTERS]


def _text(item: Any) -> str | None:
    """One representation as text, as a notebook file may hold it; None when it is none."""
    if isinstance(item, list) and all(isinstance(line, str) for line in item):
        return "".join(item)
    if isinstance(item, bytes):
        return b64encode(item).decode()
    return item if isinstance(item, str) else None


def _sizes(metadata: Any, mime: str) -> dict[str, int]:
    found = metadata.get(mime) if isinstance(metadata, dict) else None
    if not isinstance(found, dict):
        return {}
    return {side: found[side] for side in ("width", "height") if type(found.get(side)) is int}


def _shortened(traceback: list[Any]) -> list[Any]:
    if len(traceback) <= MAX_TRACEBACK:
        return traceback
    half = MAX_TRACEBACK // 2
    left_out = f"[{len(traceback) - 2 * half:,} lines not kept]"
    return [*traceback[:half], left_out, *traceback[-half:]]


def as_json(value: Any) -> tuple[Any, int]:
    """`value` as it comes out of JSON, and its size there in bytes."""
    packed = json.dumps(value, default=_default, ensure_ascii=False).encode(errors="replace")
    return json.loads(packed, parse_constant=str), len(packed)


def _default(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, Iterable):
        return list(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"{value!r} is not JSON serializable")
