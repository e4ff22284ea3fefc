"""A peer that is slow, silent or gone holds nobody up beyond a deadline."""

import contextlib
import socket
import struct
import threading
import time

import pytest
import wire_frames
from wire_frames import MIB, Pair, raw_frame, received, soon

from autograder.box.wire import receive_frame, send_frame
from autograder.errors import DeadlinePassed, Disconnected

pair = wire_frames.pair  # a fixture
SOON = 20  # seconds, on a machine however busy; who goes by no deadline waits for ever


@pytest.mark.parametrize("length", [0, 1, 11, 12, 13, 14, 15, 18])
def test_part_of_a_frame_and_then_silence_ends_at_the_deadline(pair: Pair, length: int) -> None:
    grader, box = pair
    box.sendall(raw_frame(b"{}", b"hello")[:length])
    start = time.monotonic()
    with pytest.raises(DeadlinePassed):
        receive_frame(grader, body_bytes=99, deadline=start + 0.05)
    assert 0.05 <= time.monotonic() - start < SOON


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
    assert time.monotonic() - start < SOON


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
    assert time.monotonic() - start < SOON


def test_urgent_bytes_do_not_keep_the_grader_beyond_its_deadline(pair: Pair) -> None:
    grader, box = pair
    with contextlib.suppress(OSError):  # where the kernel knows none, nothing is sent
        box.send(b"x", socket.MSG_OOB)
    with pytest.raises((DeadlinePassed, Disconnected)):
        receive_frame(grader, body_bytes=0, deadline=soon(0.05))
