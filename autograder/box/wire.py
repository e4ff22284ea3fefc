"""Frames between the grader and a box, over a connected stream socket.

Theory of operation. Both directions use one layout, all integers little-endian:

    4 bytes   header length
    8 bytes   body length
    header    a JSON object in UTF-8
    body      bytes, whose meaning the header states

The grader trusts nothing that comes up this socket. Both lengths are judged before a byte
of memory is set aside, memory grows only with the bytes that really arrive, the header is
judged before the body is read, and every wait ends at the caller's deadline. Descriptors that
a peer attaches to its bytes are closed by the kernel, because no room is made for them.

A call that raises leaves the stream somewhere inside a frame: close the socket.
"""

from __future__ import annotations

import json
import math
import re
import select
import socket
import struct
import time
from dataclasses import dataclass
from typing import Any, NoReturn

from autograder.errors import BadReply, DeadlinePassed, Disconnected

HEADER_BYTES = 64 * 1024
"""Largest JSON header, in bytes."""

MAX_NESTING = 64
"""Deepest nesting of lists and objects in received JSON."""

MAX_DIGITS = 400
"""Longest number literal in received JSON, in characters."""

MAX_VALUES = 400_000
"""Most strings, and most commas and opening brackets between them, in received JSON."""

MAX_OUTPUTS = 1_000
"""Most outputs of one cell, of which consecutive text of a stream is one."""

MIME_TYPES = frozenset(
    {
        "image/gif",
        "image/jpeg",
        "image/png",
        "image/svg+xml",
        "image/webp",
        "text/html",
        "text/latex",
        "text/markdown",
        "text/plain",
    }
)
"""What a page can show of a display; all of it is text."""

_LENGTHS = struct.Struct("<IQ")
_CHUNK_BYTES = 256 * 1024
_SEND_FLAGS = socket.MSG_DONTWAIT | getattr(socket, "MSG_NOSIGNAL", 0)  # absent on macOS
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % (MAX_DIGITS + 1))
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Frame:
    """One message: a JSON object and the bytes that go with it."""

    header: dict[str, Any]
    body: bytes


def send_frame(
    sock: socket.socket,
    header: dict[str, Any],
    body: bytes = b"",
    deadline: float | None = None,
) -> None:
    """Send one frame, however slowly the peer reads.

    `deadline` is a reading of `time.monotonic()` in seconds; None waits for ever.

    Raises Disconnected and DeadlinePassed, and ValueError or TypeError, before anything is
    sent, for a header that is too large or is not plain JSON.
    """
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    data = text.encode()
    if len(data) > HEADER_BYTES:
        raise ValueError(f"a header has at most {HEADER_BYTES} bytes, not {len(data)}")
    head = _LENGTHS.pack(len(data), len(body)) + data
    with memoryview(body) as view:  # the peer is woken once, if all fits
        _send_all(sock, head + view[:_CHUNK_BYTES], deadline)
        _send_all(sock, view[_CHUNK_BYTES:], deadline)


def receive_frame(sock: socket.socket, *, body_bytes: int, deadline: float | None = None) -> Frame:
    """Receive one frame whose body has at most `body_bytes` bytes, and not a byte more.

    `deadline` is a reading of `time.monotonic()` in seconds; None waits for ever.

    Raises BadReply, Disconnected (also in the middle of a frame) and DeadlinePassed.
    """
    lengths = _receive_exactly(sock, _LENGTHS.size, deadline)
    header_length, body_length = _LENGTHS.unpack(lengths)
    if header_length > HEADER_BYTES:
        raise BadReply(f"a header of {header_length} bytes, of {HEADER_BYTES} allowed")
    if body_length > body_bytes:
        raise BadReply(f"a body of {body_length} bytes, of {body_bytes} allowed")
    header = parse_json_object(
        _receive_exactly(sock, header_length, deadline), max_bytes=HEADER_BYTES
    )
    return Frame(header, _receive_exactly(sock, body_length, deadline))


def parse_json_object(data: bytes, *, max_bytes: int) -> dict[str, Any]:
    """Parse one JSON object of at most `max_bytes` bytes, more strictly than `json.loads`.

    Refused with BadReply: anything but an object, text that is not UTF-8, lone surrogates,
    duplicate keys, NaN and infinities (spelled out or overflowing, as 1e999), numbers of more
    than MAX_DIGITS characters, more values than MAX_VALUES, and nesting deeper than MAX_NESTING.
    """
    if len(data) > max_bytes:
        raise BadReply(f"JSON of {len(data)} bytes, of {max_bytes} allowed")
    if _marks(data) > MAX_VALUES:
        _check_number_of_values(data)
    try:
        value = json.loads(
            data.decode(),
            object_pairs_hook=_object_of_distinct_keys,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
            parse_int=_short_int if _LONG_NUMBER.search(data) else int,
        )
    except RecursionError as error:
        raise BadReply("JSON that is nested too deeply") from error
    except ValueError as error:
        raise BadReply("text that is not JSON in UTF-8") from error
    if not isinstance(value, dict):
        raise BadReply("JSON that is not an object")
    if data.count(b"[") + data.count(b"{") > MAX_NESTING:
        _check_nesting(value)
    if _SURROGATE_ESCAPE.search(data):
        _check_surrogates(value)
    return value


def crossing(text: str) -> str:
    """A text of the student's as it may cross: lone surrogates are question marks."""
    return str.encode(text, errors="replace").decode()


def class_name(kind: type) -> str:
    """The name under which a class crosses, whatever its metaclass says it is."""
    name: str = type.__dict__["__name__"].__get__(kind)
    return name


def _send_all(sock: socket.socket, data: bytes | memoryview, deadline: float | None) -> None:
    rest = memoryview(data)
    while rest:
        _expect_time(deadline)
        try:
            sent = sock.send(rest[:_CHUNK_BYTES], _SEND_FLAGS)
        except (BlockingIOError, TimeoutError):
            _wait_for(sock, select.POLLOUT, deadline)
            continue
        except OSError as error:
            raise Disconnected("the other side closed the socket") from error
        rest = rest[sent:]


def _receive_exactly(sock: socket.socket, size: int, deadline: float | None) -> bytes:
    buffer = bytearray()
    filled = 0
    while filled < size:
        if filled == len(buffer):
            buffer.extend(bytes(min(_CHUNK_BYTES, size - filled)))
        with memoryview(buffer) as view:
            filled += _receive_some(sock, view[filled:], deadline)
    return bytes(buffer)


def _receive_some(sock: socket.socket, room: memoryview, deadline: float | None) -> int:
    while True:
        _expect_time(deadline)
        try:
            received = sock.recv_into(room, 0, socket.MSG_DONTWAIT)
        except (BlockingIOError, TimeoutError):
            _wait_for(sock, select.POLLIN, deadline)
            continue
        except OSError as error:
            raise Disconnected("the other side closed the socket") from error
        if received == 0:
            raise Disconnected("the other side closed the socket")
        return received


def _wait_for(sock: socket.socket, event: int, deadline: float | None) -> None:
    """Return when the socket is ready or broken; the socket's own time-out is left alone."""
    poll = select.poll()
    poll.register(sock, event)
    ready = False
    while not ready:
        # Waits of at most an hour: poll takes milliseconds in a C int.
        ready = bool(poll.poll(math.ceil(min(_expect_time(deadline), 3600) * 1000)))


def _expect_time(deadline: float | None) -> float:
    """The seconds that are left."""
    left = math.inf if deadline is None else deadline - time.monotonic()
    if left <= 0:
        raise DeadlinePassed("a frame was not complete when its deadline passed")
    return left


def _object_of_distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadReply("a JSON object with duplicate keys")
    return found


def _refuse_constant(literal: str) -> NoReturn:
    raise BadReply(f"the number {literal}, which JSON does not have")


def _finite_float(literal: str) -> float:
    value = float(literal) if len(literal) <= MAX_DIGITS else math.inf
    if math.isinf(value):
        raise BadReply("a JSON number that is too long or too large")
    return value


def _short_int(literal: str) -> int:
    if len(literal.removeprefix("-")) > MAX_DIGITS:
        raise BadReply(f"a JSON number of more than {MAX_DIGITS} digits")
    return int(literal)


def _marks(data: bytes) -> int:
    return sum(map(data.count, (b'"', b",", b"[", b"{")))


def _check_number_of_values(data: bytes) -> None:
    """Refuse what would become millions of objects, before there is one of them."""
    unescaped = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    strings = unescaped.count(b'"') // 2
    if strings <= MAX_VALUES and _marks(b"".join(unescaped.split(b'"')[::2])) <= MAX_VALUES:
        return
    raise BadReply(f"JSON of more than {MAX_VALUES} values")


def _check_nesting(value: Any) -> None:
    level = [value]
    for _ in range(MAX_NESTING):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return
    raise BadReply("JSON that is nested too deeply")


def _children(value: Any) -> list[Any]:
    """Return the lists and objects directly inside a list or an object."""
    inner = value.values() if isinstance(value, dict) else value
    return [child for child in inner if isinstance(child, (dict, list))]


def _check_surrogates(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise BadReply("a JSON string with a lone surrogate") from error
