"""Coverage-guided fuzzing of everything that reads what a box sends: frames, tensors, replies.

Whatever bytes come, a parser returns a clean value or raises one of the errors that it names; an
input that makes it raise anything else, hang, or take much memory is a defect. Stop with Ctrl-C or
libFuzzer's `-max_total_time=SECONDS`; a crashing input is kept as `crash-…` in the corpus folder.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from pathlib import Path

import atheris
import torch

with atheris.instrument_imports(include=["autograder.box"]):
    from autograder.box import tensors, wire
    from autograder.box.outside.replies import cell_reply, probe_reply
    from autograder.errors import BadReply, DeadlinePassed, Disconnected

CORPUS = Path(__file__).resolve().parent.parent / ".cache" / "fuzz"
BODY_BYTES = 1 << 16
FRAME_SECONDS = 0.05


def fuzz(data: bytes) -> None:
    """One input, through every parser that a box can reach."""
    for parse in (_tensors, _frame):
        try:
            parse(data)
        except (BadReply, DeadlinePassed, Disconnected):
            continue


def _tensors(data: bytes) -> None:
    found = tensors.decode(data)
    again = tensors.decode(tensors.encode(found), found.keys())
    assert {name: t.shape for name, t in again.items()} == {n: t.shape for n, t in found.items()}


def _frame(data: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(data)
        theirs.close()
        deadline = time.monotonic() + FRAME_SECONDS
        frame = wire.receive_frame(ours, body_bytes=BODY_BYTES, deadline=deadline)
    for read in (lambda: cell_reply(frame, BODY_BYTES), lambda: probe_reply(frame)):
        try:
            read()
        except BadReply:
            continue


def _seeds() -> dict[str, bytes]:
    """One well-formed message of each kind, for the fuzzer to spoil."""
    body = tensors.encode(
        {"y": torch.ones(2, 3), "mask": torch.tensor([True]), "n": torch.tensor(1)}
    )
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": "x"},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["t"]},
        {"output_type": "execute_result", "data": {"text/plain": "1"}, "metadata": {}},
    ]
    cell = {"count": 1, "error": None, "truncated": False, "did_without": ""}
    probe = {"values": {"a": 1.5}, "kinds": {"b": "list"}, "error": None}
    raised = {**probe, "error": {"name": "E", "text": "t", "lines": ["line 1: x"]}}
    return {
        "tensors": body,
        "cell": _framed(cell, json.dumps({"outputs": outputs}).encode()),
        "probe": _framed(probe, body),
        "raised": _framed(raised, b""),
    }


def _framed(header: dict[str, object], body: bytes) -> bytes:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        wire.send_frame(ours, header, body)
        return theirs.recv(BODY_BYTES)


def main() -> None:
    """Starts libFuzzer on the seeds and the corpus of earlier runs."""
    CORPUS.mkdir(parents=True, exist_ok=True)
    for name, data in _seeds().items():
        (CORPUS / name).write_bytes(data)
    options = [f"-artifact_prefix={CORPUS}/", f"-max_len={BODY_BYTES}", str(CORPUS)]
    atheris.Setup([sys.argv[0], *sys.argv[1:], *options], fuzz)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
