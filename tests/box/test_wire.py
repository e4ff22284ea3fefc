"""Frames: what a hostile peer sends is refused at once, and honest frames arrive unharmed."""

import contextlib
import json
import os
import socket
import struct
import threading
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from autograder.box.wire import (
    HEADER_BYTES,
    MAX_DIGITS,
    MAX_NESTING,
    Frame,
    parse_json_object,
    receive_frame,
    send_frame,
)
from autograder.errors import BadReply, DeadlinePassed, Disconnected

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


def parsed(text: str | bytes) -> dict[str, Any]:
    data = text if isinstance(text, bytes) else text.encode()
    return parse_json_object(data, max_bytes=MIB)


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


@pytest.mark.parametrize("length", [0, 1, 11, 12, 13, 14, 15, 18])
def test_part_of_a_frame_and_then_silence_ends_at_the_deadline(pair: Pair, length: int) -> None:
    grader, box = pair
    box.sendall(raw_frame(b"{}", b"hello")[:length])
    start = time.monotonic()
    with pytest.raises(DeadlinePassed):
        receive_frame(grader, body_bytes=99, deadline=start + 0.05)
    assert 0.05 <= time.monotonic() - start < 2


def test_a_peer_that_drips_single_bytes_does_not_move_the_deadline(pair: Pair) -> None:
    grader, box = pair
    stop = threading.Event()

    def drip() -> None:
        box.sendall(struct.pack("<IQ", 2, 10_000) + b"{}")
        while not stop.wait(0.005):
            box.sendall(b"x")

    dripper = threading.Thread(target=drip)
    dripper.start()
    start = time.monotonic()
    with pytest.raises(DeadlinePassed):
        receive_frame(grader, body_bytes=10_000, deadline=start + 0.1)
    stop.set()
    dripper.join()
    assert time.monotonic() - start < 2


def test_a_deadline_in_the_past_wins_over_bytes_that_wait(pair: Pair) -> None:
    grader, box = pair
    send_frame(box, {})
    with pytest.raises(DeadlinePassed):
        receive_frame(grader, body_bytes=0, deadline=time.monotonic() - 1)


@pytest.mark.parametrize("length", range(19))
def test_a_socket_closed_within_a_frame_is_a_disconnection(length: int) -> None:
    with pytest.raises(Disconnected):
        received(raw_frame(b"{}", b"hello")[:length])


def test_a_socket_closed_after_a_frame_costs_nothing_of_it() -> None:
    assert received(raw_frame(b"{}", b"hello")).body == b"hello"


def test_a_peer_that_closes_while_the_grader_waits_wakes_it(pair: Pair) -> None:
    grader, box = pair
    closer = threading.Timer(0.02, box.close)
    closer.start()
    with pytest.raises(Disconnected):
        receive_frame(grader, body_bytes=0)
    closer.join()


def test_sending_to_a_closed_peer_is_a_disconnection_and_no_signal(pair: Pair) -> None:
    grader, box = pair
    box.close()
    with pytest.raises(Disconnected):
        send_frame(grader, {}, deadline=soon())


def test_a_connection_reset_with_unread_bytes_is_a_disconnection(pair: Pair) -> None:
    grader, box = pair
    send_frame(grader, {})
    box.close()
    with pytest.raises(Disconnected):
        receive_frame(grader, body_bytes=0, deadline=soon())


def test_using_a_socket_closed_on_this_side_is_a_disconnection(pair: Pair) -> None:
    grader, _ = pair
    grader.close()
    with pytest.raises(Disconnected):
        send_frame(grader, {})
    with pytest.raises(Disconnected):
        receive_frame(grader, body_bytes=0)


def test_a_peer_that_never_reads_blocks_the_sender_no_longer_than_its_deadline(
    pair: Pair,
) -> None:
    grader, _box = pair
    start = time.monotonic()
    with pytest.raises(DeadlinePassed):
        send_frame(grader, {}, bytes(8 * MIB), deadline=start + 0.1)
    assert time.monotonic() - start < 2


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


def test_urgent_bytes_do_not_keep_the_grader_beyond_its_deadline(pair: Pair) -> None:
    grader, box = pair
    with contextlib.suppress(OSError):  # where the kernel knows none, nothing is sent
        box.send(b"x", socket.MSG_OOB)
    with pytest.raises((DeadlinePassed, Disconnected)):
        receive_frame(grader, body_bytes=0, deadline=soon(0.05))


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


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "[]", "[{}]", "1", "null", '"text"', "{", "{}{}", "{} x", "{'a': 1}"),
        *("\ufeff{}", '{"a":1,}', '{"a":"\n"}', "{a: 1}", '{"a":01}', '{"a":+1}', '{"a":.5}'),
    ],
)
def test_text_that_is_not_a_json_object_is_refused(text: str) -> None:
    with pytest.raises(BadReply):
        parsed(text)


@pytest.mark.parametrize(
    "text",
    ['{"a":1,"a":1}', '{"b":{"a":1,"a":2}}', '[[{"a":1,"a":2}]]', r'{"a":1,"\u0061":2}'],
)
def test_duplicate_keys_are_refused_at_any_depth_and_in_any_spelling(text: str) -> None:
    with pytest.raises(BadReply, match="duplicate keys"):
        parsed(text)


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_numbers_that_are_not_finite_are_refused(literal: str) -> None:
    with pytest.raises(BadReply, match="number"):
        parsed(f'{{"a":[{literal}]}}')


@pytest.mark.parametrize("size", [MAX_DIGITS + 1, 4301, 60_000])
@pytest.mark.parametrize("form", ["{}", "-{}", "0.{}", "1e{}", "{}e-60000"])
def test_numbers_with_endless_digits_are_refused(form: str, size: int) -> None:
    with pytest.raises(BadReply, match="number"):
        parsed(f'{{"a":{form.format("1" * size)}}}')


def test_the_longest_allowed_integer_is_read_exactly() -> None:
    assert parsed(f'{{"a":-{"9" * MAX_DIGITS}}}') == {"a": 1 - 10**MAX_DIGITS}


@pytest.mark.parametrize("depth", [MAX_NESTING + 1, 990, 30_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_json_nested_too_deeply_is_refused(opening: str, closing: str, depth: int) -> None:
    inner = opening * (depth - 1) + "0" + closing * (depth - 1)
    with pytest.raises(BadReply, match="too deeply"):
        parsed(f'{{"a":{inner}}}')


def test_the_deepest_allowed_nesting_and_many_small_objects_are_read() -> None:
    text = '{"a":' * MAX_NESTING + "0" + "}" * MAX_NESTING
    assert json.dumps(parsed(text), separators=(",", ":")) == text
    assert parsed(f'{{"many":[{{}},[]],{text[1:]}')["a"] == parsed(text)["a"]
    assert parsed(json.dumps({"a": [{}] * 1000})) == {"a": [{}] * 1000}


@pytest.mark.parametrize(
    "data",
    [b'{"a":"\xff"}', b'{"a":"\xc0\x80"}', b'{"a":"\xed\xa0\x80"}', b"\xff\xfe{\0}\0", b"{\0}\0"],
)
def test_bytes_that_are_not_utf8_text_are_refused(data: bytes) -> None:
    with pytest.raises(BadReply, match="not JSON in UTF-8"):
        parsed(data)


@pytest.mark.parametrize(
    "text",
    [r'{"a":"\ud800"}', r'{"a":"\uDC00"}', r'{"\ud83d":1}', r'{"a":[[{"b":"x\ud83dy"}]]}'],
)
def test_lone_surrogates_are_refused(text: str) -> None:
    with pytest.raises(BadReply, match="surrogate"):
        parsed(text)


def test_an_escaped_pair_of_surrogates_is_one_character() -> None:
    assert parsed(r'{"a":"\ud83d\ude42"}') == {"a": "🙂"}


def test_json_longer_than_the_cap_is_refused_before_it_is_parsed() -> None:
    assert parse_json_object(b"{}", max_bytes=2) == {}
    with pytest.raises(BadReply, match="3 bytes, of 2 allowed"):
        parse_json_object(b"{} ", max_bytes=2)


def test_a_refusal_states_its_reason_without_repeating_what_the_box_wrote() -> None:
    with pytest.raises(BadReply) as refused:
        parsed('{"\x1b[31m<script>":1,"\x1b[31m<script>":2}')
    assert refused.value.reason == "text that is not JSON in UTF-8"


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


@thorough
@given(st.text(alphabet='{}[]":,\\ud8eE+-.0123456789 trufalsnNI', max_size=60))
def test_any_text_parses_to_an_object_or_is_refused(text: str) -> None:
    try:
        value = parsed(text)
    except BadReply:
        return
    assert parsed(json.dumps(value, allow_nan=False)) == value
