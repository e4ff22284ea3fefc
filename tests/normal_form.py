"""Outputs of cells without what differs in every run."""

from __future__ import annotations

import json
import re
from itertools import groupby
from pathlib import Path
from typing import Any


def in_normal_form(outputs: list[dict[str, Any]], *directories: Path) -> list[dict[str, Any]]:
    """Streams between two other outputs joined, stdout first; nothing that differs in every run."""
    normal: list[dict[str, Any]] = []
    for is_stream, group in groupby(outputs, lambda output: output["output_type"] == "stream"):
        if not is_stream:
            normal += [in_short(output) for output in group]
            continue
        streams = list(group)
        for name in ("stdout", "stderr"):
            text = "".join(stream["text"] for stream in streams if stream["name"] == name)
            text = re.sub(FORKED_FROM_THREADS, "", text)
            if text:
                text = re.sub(r"[^\n]*\r(?=[^\n])", "", text)
                normal.append({"output_type": "stream", "name": name, "text": text})
    packed = json.dumps(normal, ensure_ascii=False)
    for directory in directories:
        packed = packed.replace(str(directory), "DIRECTORY")
    for pattern, name in VOLATILE:
        packed = re.sub(pattern, name, packed)
    result: list[dict[str, Any]] = json.loads(packed)
    return result


def in_short(output: dict[str, Any]) -> dict[str, Any]:
    """A traceback without equal neighbours: a kernel's stack leaves less room to recursion."""
    if "traceback" not in output:
        return output
    return {**output, "traceback": [line for line, _ in groupby(output["traceback"])]}


# From Python 3.12 on a kernel, which has threads, warns of a fork; a box has one thread.
FORKED_FROM_THREADS = r"[^\n]*\(pid=\d+\) is multi-threaded, use of fork\(\)[^\n]*\n[^\n]*\n"
VOLATILE = [
    (r"(?<![^\s\"(])[^\s\"(]*/ipykernel_\d+/\d+\.py", "CELL"),
    (r"\(\d+\.py, line", "(CELL, line"),
    (r"0x[0-9a-f]{6,}", "ADDRESS"),
    (r"(CPU times|Wall time|CPU time):[^\\\"]*", r"\1"),
    (r"[\d.]+ \S{1,2} ± [\d.]+ \S{1,2} per loop", "DURATION"),
    (r"The slowest run took [^\\]*\\n", ""),
    (r"\d\d:\d\d<(\d\d:\d\d|\?), +(\?|[\d.]+)(it/s|s/it)", "SPEED"),
    (r"(SPEED[^\]\n]*\]) +(?=\\n)", r"\1"),  # what a longer line leaves behind is wiped out
]
