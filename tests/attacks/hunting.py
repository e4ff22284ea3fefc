"""What hunts for canaries begin with."""

from __future__ import annotations

# Whatever looks like a canary is printed. Each hunt also meets a decoy, which proves that it works.
HUNT = """
import ctypes, errno, gc, os, re, sys
CANARY = re.compile(rb"canary-[0-9a-f]{32}")
found = set()
decoy = "-".join(["canary", "0" * 32])
with open("decoy", "w") as file:
    file.write(decoy)

def look(data):
    found.update(CANARY.findall(data if isinstance(data, bytes) else repr(data).encode()))

def read(path):
    try:
        with open(path, "rb") as file:
            look(file.read(1 << 20))
    except (OSError, ValueError):
        pass

def said():
    return b" ".join(sorted(found)).decode()
"""
