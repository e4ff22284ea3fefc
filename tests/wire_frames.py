"""Two connected sockets, and frames as a peer may write them."""

import socket
import struct
import time
from collections.abc import Iterator

import pytest
from hypothesis import settings

from autograder.box.wire import Frame, receive_frame

MIB = 1 << 20
Pair = tuple[socket.socket, socket.socket]
thorough = settings(deadline=None, database=None, max_examples=100)


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Two connected sockets: the grader's and the box's."""
    grader, box = socket.socketpair()
    with grader, box:
        yield grader, box


def raw_frame(header: bytes, body: bytes = b"") -> bytes:
    return struct.pack("<IQ", len(header), len(body)) + header + body


def soon(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def received(stream: bytes, body_bytes: int = MIB) -> Frame:
    """Return the first frame of a peer that sent `stream` and closed its end."""
    grader, box = socket.socketpair()
    with grader, box:
        box.sendall(stream)
        box.close()
        return receive_frame(grader, body_bytes=body_bytes, deadline=soon())
