"""Hostile code that finds the channel to the grader, and writes on it what it likes.

`FORGE` is source for a cell: `served()` walks up to the worker's loop for its socket and the
request that it is answering, `probing()` tells a probe from a cell, `reply(body)` is a well-formed
frame for that request, and `send` writes raw bytes.
"""

from __future__ import annotations

FORGE = """
import json, os, struct, sys, time
import torch

def served():
    frame = sys._getframe()
    while not {"sock", "request"} <= set(frame.f_locals):
        frame = frame.f_back
    return frame.f_locals["sock"], frame.f_locals["request"]

def probing():
    return served()[1].header["op"] == "probe"

def framed(header, body=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<IQ", len(text), len(body)) + text + body

def reply(body=b"", **changes):
    nonce = served()[1].header["nonce"]
    told = {"values": {}, "kinds": {}, "error": None, "texts": [], "nonce": nonce}
    return framed({**told, **changes}, body)

def packed(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data

def encoded(**named):
    from safetensors.torch import save
    return save(named)

def send(data):
    served()[0].sendall(data)
"""


def in_probe(action: str) -> str:
    """A wrong `double` that does `action` inside each probe, before the worker answers."""
    return f"{FORGE}def double(x):\n    if probing():\n        {action}\n    return x + 1\n"
