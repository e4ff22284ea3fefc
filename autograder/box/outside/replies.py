"""What a box replied, rebuilt field by field: anything unexpected is a BadReply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autograder.box import tensors
from autograder.box.probes import ProbeRun, Scalar
from autograder.box.wire import MAX_OUTPUTS, MIME_TYPES, Frame, parse_json_object
from autograder.errors import BadReply

ERROR_FIELDS = {"name", "text", "lines", "probe_line"}


@dataclass(frozen=True)
class CellReply:
    """What a box says a cell did; outputs are clean nbformat, the rest is the box's word."""

    outputs: list[dict[str, Any]]
    execution_count: int
    error: str | None
    truncated: bool
    did_without: str


def cell_reply(frame: Frame, max_bytes: int) -> CellReply:
    """What the box says of a cell, checked; BadReply when it is not of the agreed form."""
    count, error, truncated = (frame.header.get(k) for k in ("count", "error", "truncated"))
    if type(count) is not int or type(truncated) is not bool:
        raise BadReply("a cell reply without count or truncated")
    if not (error is None or isinstance(error, str)):
        raise BadReply("a cell reply whose error is no name")
    if not isinstance(without := frame.header.get("did_without"), str):
        raise BadReply("a cell reply that tells no text of what the cell did without")
    outputs = clean_outputs(parse_json_object(frame.body, max_bytes=max_bytes).get("outputs"))
    return CellReply(outputs, count, error, truncated, without)


def probe_reply(frame: Frame) -> ProbeRun:
    """What the box says of a probe, checked; BadReply when it is not of the agreed form."""
    values, kinds, error = (frame.header.get(k) for k in ("values", "kinds", "error"))
    if not isinstance(values, dict) or not isinstance(kinds, dict):
        raise BadReply("a probe reply without values or kinds")
    if not all(isinstance(value, Scalar) for value in values.values()):
        raise BadReply("a probe value that is no number, string or boolean")
    if not all(isinstance(kind, str) for kind in kinds.values()):
        raise BadReply("a probe kind that is no name")
    if error is not None:
        return ProbeRun(error=_clean_error(error))
    found = tensors.decode(frame.body)
    return ProbeRun(found, {**values, **_texts(frame.header.get("texts"), found)}, kinds)


def _texts(names: Any, found: dict[str, Any]) -> dict[str, str]:
    """The texts among the tensors, which are taken out of them."""
    if not isinstance(names, list) or not all(isinstance(n, str) and n in found for n in names):
        raise BadReply("a probe reply without a text that it names")
    texts = {name: found.pop(name) for name in dict.fromkeys(names)}
    if sum(text.nbytes for text in texts.values()) > tensors.TEXT_BYTES:
        raise BadReply("a probe reply with too much text")
    return {name: tensors.text_of(text) for name, text in texts.items()}


def _clean_error(error: Any) -> dict[str, Any]:
    if not isinstance(error, dict) or error.keys() != ERROR_FIELDS:
        raise BadReply("a probe error of another form")
    lines = error["lines"]
    if not isinstance(lines, list) or not all(isinstance(s, str) for s in lines):
        raise BadReply("a probe error whose lines are no text")
    if not isinstance(error["name"], str) or not isinstance(error["text"], str):
        raise BadReply("a probe error whose name or text is no text")
    if type(error["probe_line"]) is not int:
        raise BadReply("a probe error whose line is no number")
    return error


def clean_outputs(found: Any) -> list[dict[str, Any]]:
    """The outputs in `found` with only the known fields and MIME types.

    Raises:
        BadReply: something in it is no output.
    """
    if not isinstance(found, list) or len(found) > MAX_OUTPUTS:
        raise BadReply("cell outputs that are no list, or a longer one than any box makes")
    return [_clean(output) for output in found]


def _clean(output: Any) -> dict[str, Any]:
    if not isinstance(output, dict):
        raise BadReply("a cell output that is no object")
    kind = output.get("output_type")
    if kind == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return {"output_type": "stream", "name": name, "text": _text(output.get("text"))}
    if kind == "error":
        return {
            "output_type": "error",
            "ename": _text(output.get("ename")),
            "evalue": _text(output.get("evalue")),
            "traceback": [_text(line) for line in _list(output.get("traceback"))],
        }
    if kind in ("display_data", "execute_result"):
        return _clean_display(kind, output)
    raise BadReply("a cell output of an unknown type")


def _clean_display(kind: str, output: dict[str, Any]) -> dict[str, Any]:
    data = output.get("data")
    if not isinstance(data, dict):
        raise BadReply("a display without data")
    clean: dict[str, Any] = {
        "output_type": kind,
        "data": {mime: _text(value) for mime, value in data.items() if mime in MIME_TYPES},
        "metadata": _picture_sizes(output.get("metadata")),
    }
    if kind == "execute_result":
        count = output.get("execution_count")
        clean["execution_count"] = count if type(count) is int else None
    return clean


def _picture_sizes(metadata: Any) -> dict[str, Any]:
    """Width and height by MIME type, the only metadata that changes what is seen."""
    if not isinstance(metadata, dict):
        return {}
    return {
        mime: {key: value for key, value in found.items() if type(value) is int}
        for mime, found in metadata.items()
        if mime in MIME_TYPES and isinstance(found, dict) and set(found) <= {"width", "height"}
    }


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise BadReply("an output whose text is no text")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise BadReply("a traceback that is no list")
    return value
