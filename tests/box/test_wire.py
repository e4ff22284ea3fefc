"""Frames: what a hostile peer sends is refused at once, and honest frames arrive unharmed."""

import json
import os
import socket
import struct
import threading
import tracemalloc
from typing import Any, ClassVar

import pytest
import wire_frames
from hypothesis import example, given
from hypothesis import strategies as st
from wire_frames import MIB, Pair, raw_frame, received, soon, thorough

from autograder.box.wire import HEADER_BYTES, Frame, receive_frame, send_frame
from autograder.errors import BadReply, DeadlinePassed, Disconnected

pair = wire_frames.pair  # a fixture


def test_a_frame_arrives_as_it_was_sent(pair: Pair) -> None:
    grader, box = pair
    header = {"nonce": "n1", "text": "naïve λ 🙂 \0", "numbers": [1, -2.5, 10**300, None, True]}
    send_frame(box, header, b"\x00\xffbody", deadline=soon())
    assert receive_frame(grader, body_bytes=6, deadline=soon()) == Frame(header, b"\x00\xffbody")


def test_frames_arrive_one_at_a_time_and_in_order(pair: Pair) -> None:
    grader, box = pair
    for number in range(3):
        send_frame(box, {"number": number}, bytes([number]) * number)
    frames = [receive_frame(grader, body_bytes=9, deadline=soon()) for _ in range(3)]
    assert frames == [Frame({"number": n}, bytes([n]) * n) for n in range(3)]


def test_the_layout_on_the_wire_is_the_documented_one(pair: Pair) -> None:
    grader, box = pair
    send_frame(box, {"a": "é"}, b"xyz")
    assert grader.recv(99) == b"\x0a\0\0\0" + b"\x03" + 7 * b"\0" + b'{"a":"\xc3\xa9"}' + b"xyz"


@pytest.mark.parametrize("time_out", [None, 0, 0.05])
def test_a_body_larger_than_the_socket_buffer_arrives_whole(
    pair: Pair, time_out: float | None
) -> None:
    grader, box = pair
    grader.settimeout(time_out)
    box.settimeout(time_out)
    body = os.urandom(5 * MIB + 1)
    sender = threading.Thread(target=send_frame, args=(box, {}, body, soon()))
    sender.start()
    frame = receive_frame(grader, body_bytes=len(body), deadline=soon())
    sender.join()
    assert frame.body == body
    assert grader.gettimeout() == time_out


def test_a_header_of_exactly_the_cap_passes_and_one_byte_more_is_never_sent(pair: Pair) -> None:
    grader, box = pair
    largest = {"a": "x" * (HEADER_BYTES - len('{"a":""}'))}
    send_frame(box, largest, deadline=soon())
    assert receive_frame(grader, body_bytes=0, deadline=soon()).header == largest
    with pytest.raises(ValueError, match="at most 65536 bytes, not 65537"):
        send_frame(box, {"a": largest["a"] + "x"}, deadline=soon())
    with pytest.raises(BlockingIOError):
        grader.recv(1, socket.MSG_DONTWAIT)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_a_header_that_the_other_side_would_refuse_is_not_sent(pair: Pair, value: object) -> None:
    grader, box = pair
    with pytest.raises(ValueError, match=r"JSON|surrogates"):
        send_frame(box, {"value": value})
    with pytest.raises(BlockingIOError):
        grader.recv(1, socket.MSG_DONTWAIT)


@pytest.mark.parametrize(
    "lengths",
    [
        struct.pack("<IQ", 2, 2**63),
        struct.pack("<IQ", 2, 2**64 - 1),
        struct.pack("<IQ", 2, MIB + 1),
        struct.pack("<IQ", HEADER_BYTES + 1, 0),
        struct.pack("<IQ", 100_000_000, 0),
        struct.pack("<IQ", 2**32 - 1, 2**64 - 1),
    ],
)
def test_a_length_beyond_the_cap_is_refused_before_anything_is_allocated(
    pair: Pair, lengths: bytes
) -> None:
    grader, box = pair
    box.sendall(lengths)
    tracemalloc.start()
    with pytest.raises(BadReply, match="allowed"):
        receive_frame(grader, body_bytes=MIB, deadline=soon())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MIB // 4


def test_a_body_of_exactly_the_cap_is_accepted() -> None:
    assert received(raw_frame(b"{}", b"x" * 100), body_bytes=100).body == b"x" * 100


def test_a_body_that_is_announced_but_never_sent_costs_no_memory(pair: Pair) -> None:
    grader, box = pair
    box.sendall(struct.pack("<IQ", 2, 60 * MIB) + b"{}" + b"x" * 1000)
    tracemalloc.start()
    with pytest.raises(DeadlinePassed):
        receive_frame(grader, body_bytes=64 * MIB, deadline=soon(0.05))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MIB


def test_descriptors_that_come_with_a_frame_are_closed(pair: Pair) -> None:
    grader, box = pair
    reading_end, writing_end = os.pipe()
    socket.send_fds(box, [raw_frame(b"{}")], [writing_end])
    os.close(writing_end)
    assert receive_frame(grader, body_bytes=0, deadline=soon()) == Frame({}, b"")
    os.set_blocking(reading_end, False)
    assert os.read(reading_end, 1) == b""  # the end of the pipe: nobody holds its other side
    os.close(reading_end)


def test_the_other_side_is_woken_once_for_a_frame_that_fits() -> None:
    class Counting(socket.socket):
        sent = 0

        def send(self, *arguments: Any) -> int:
            self.sent += 1
            return super().send(*arguments)

    ends = socket.socketpair()
    with ends[0] as box, Counting(fileno=ends[1].detach()) as counting:
        send_frame(counting, {"op": "cell"}, b"x" * 10_000, deadline=soon())
        assert counting.sent == 1
        assert receive_frame(box, body_bytes=MIB, deadline=soon()).body == b"x" * 10_000


@pytest.mark.parametrize("error", [BlockingIOError, TimeoutError])
def test_a_socket_that_is_not_ready_after_all_is_tried_again(error: type[OSError]) -> None:
    class Hasty(socket.socket):
        """Fails the first call of every direction."""

        failures: ClassVar[set[str]] = set()

        def fail_once(self, direction: str) -> None:
            if direction not in self.failures:
                self.failures.add(direction)
                raise error

        def send(self, *arguments: Any) -> int:
            self.fail_once("down")
            return super().send(*arguments)

        def recv_into(self, *arguments: Any) -> int:
            self.fail_once("up")
            return super().recv_into(*arguments)

    ends = socket.socketpair()
    with ends[0] as box, Hasty(fileno=ends[1].detach()) as hasty:
        send_frame(hasty, {"to": "box"}, deadline=soon())
        send_frame(box, {"to": "grader"}, deadline=soon())
        assert receive_frame(box, body_bytes=0, deadline=soon()).header == {"to": "box"}
        assert receive_frame(hasty, body_bytes=0, deadline=soon()).header == {"to": "grader"}
    assert Hasty.failures == {"down", "up"}


def test_a_bad_header_is_refused_without_waiting_for_the_body(pair: Pair) -> None:
    grader, box = pair
    box.sendall(struct.pack("<IQ", 2, 1000) + b"[]")
    with pytest.raises(BadReply, match="not an object"):
        receive_frame(grader, body_bytes=1000, deadline=soon())


@pytest.mark.parametrize(
    "header", [b"", b"hello", b"[]", b"\x80\x04N.", b'{"a":1,"a":2}', b'{"a":NaN}', b"[" * 60_000]
)
def test_a_frame_whose_header_is_no_strict_json_object_is_refused(header: bytes) -> None:
    with pytest.raises(BadReply):
        received(raw_frame(header, b"body"))


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**300), 10**300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)
headers = st.dictionaries(st.text(), values, max_size=5)


@thorough
@given(headers, st.binary(max_size=300))
def test_every_plain_header_and_body_comes_back_equal(header: dict[str, Any], body: bytes) -> None:
    grader, box = socket.socketpair()
    with grader, box:
        send_frame(box, header, body, deadline=soon())
        assert receive_frame(grader, body_bytes=300, deadline=soon()) == Frame(header, body)


@thorough
@given(st.binary(max_size=200) | st.builds(raw_frame, st.binary(), st.binary()))
@example(raw_frame(b'{"a":1}', b"x"))
def test_any_bytes_at_all_give_a_frame_or_an_exception_of_ours(stream: bytes) -> None:
    try:
        frame = received(stream, body_bytes=100)
    except (BadReply, Disconnected):
        return
    header_length, body_length = struct.unpack_from("<IQ", stream)
    assert frame.header == json.loads(stream[12 : 12 + header_length])
    assert frame.body == stream[12 + header_length :][:body_length]


@pytest.mark.parametrize("flip", [0x01, 0x20, 0x80, 0xFF])
def test_a_frame_damaged_in_any_one_byte_never_brings_the_grader_down(flip: int) -> None:
    sound = raw_frame(b'{"nonce":"n1","ok":[true,1.5,"x"]}', b"0123456789")
    outcomes: set[type] = set()
    for place in range(len(sound)):
        damaged = bytearray(sound)
        damaged[place] ^= flip
        try:
            frame = received(bytes(damaged))
        except (BadReply, Disconnected) as error:
            outcomes.add(type(error))
        else:
            outcomes.add(Frame)
            assert frame != Frame({"nonce": "n1", "ok": [True, 1.5, "x"]}, b"0123456789")
    assert outcomes >= {BadReply, Frame}
