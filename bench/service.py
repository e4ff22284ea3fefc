"""What a student waits for the check service: 20 who each ask once in 10 s, and 300 at once.

Each asks about a question of a1 in turn, half of them with a wrong answer, no two alike, through
HTTP from the request to the answer. Everything runs on this machine, the students too.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import nbformat
from courses import ASSIGNMENT, ROOT, our_course

from autograder.course.assignments import Course
from autograder.course.cells import is_solution
from autograder.service.policy import read_policy
from autograder.service.who import Tokens, key_file, make_key

JOBS = 2
STUDENTS, PERIOD, ROUNDS = 20, 10.0, 6
AT_ONCE = 300
CONFIG = """
c.CheckService.attempts_an_hour = 1000
c.CheckService.free_attempts = 1000
"""
READY_SECONDS = 300
LONGEST = httpx.Timeout(900.0)


def main() -> None:
    """Measures, prints and stores the figures."""
    with tempfile.TemporaryDirectory() as scratch:
        course = our_course(Path(scratch) / "course")
        with (course / "nbgrader_config.py").open("a", encoding="utf-8") as config:
            config.write(CONFIG)
        with served(course) as (base, pid):
            found = asyncio.run(_measured(Course(course), base, pid))
    (ROOT / "bench" / "service.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(json.dumps(found, indent=1))


@contextmanager
def served(course: Path) -> Iterator[tuple[str, int]]:
    """The service of `course`: its address and the id of its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "autograder", "serve", "--port", str(port)]
    with (course / "serve.log").open("w") as log:
        process = subprocess.Popen(
            [*command, "--jobs", str(JOBS)], cwd=course, stdout=log, stderr=log
        )
    base = f"http://127.0.0.1:{port}/"
    try:
        _wait_for(base, process, course / "serve.log")
        yield base, process.pid
    finally:
        process.terminate()
        process.wait()


def _wait_for(base: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx.get(f"{base}health").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    sys.exit(log.read_text(encoding="utf-8"))


async def _measured(course: Course, base: str, pid: int) -> dict[str, Any]:
    make_key(key_file(course))
    tokens = Tokens(key_file(course), read_policy(course))
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=base, timeout=LONGEST, limits=limits) as client:
        students = [
            _Student(client, course, tokens.made(f"demo-{n}", 1.0), n) for n in range(AT_ONCE)
        ]
        for number in range(2 * JOBS):  # whoever comes first warms the workers
            await asyncio.gather(*(s.ask(number) for s in students[:JOBS]))
        memory = _peak_mib(pid)
        every = [seconds for s in await _in_turn(students[:STUDENTS]) for seconds in s]
        began = time.monotonic()
        at_once = await asyncio.gather(*(s.ask(s.number) for s in students))
        return {
            "jobs": JOBS,
            "students": STUDENTS,
            "period_seconds": PERIOD,
            "asked": len(every),
            "median_seconds": statistics.median(every),
            "p95_seconds": statistics.quantiles(every, n=20)[18],
            "longest_seconds": max(every),
            "at_once": AT_ONCE,
            "at_once_answered": len(at_once),
            "at_once_seconds": time.monotonic() - began,
            "service_mib_at_first": memory,
            "service_mib_at_most": _peak_mib(pid),
        }


async def _in_turn(students: list[_Student]) -> list[list[float]]:
    """Each asks once in a period, spread over it."""

    async def asks(student: _Student) -> list[float]:
        seconds = []
        for turn in range(ROUNDS):
            due = began + PERIOD * (turn + student.number / len(students))
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            seconds.append(await student.ask(turn + student.number))
        return seconds

    began = time.monotonic()
    return await asyncio.gather(*(asks(student) for student in students))


class _Student:
    """Asks, with an answer of their own each time."""

    def __init__(self, client: httpx.AsyncClient, course: Course, token: str, number: int) -> None:
        self._client = client
        self._headers = {"Authorization": f"token {token}"}
        self._assignment = course.assignment(ASSIGNMENT)
        self.number = number

    async def ask(self, turn: int) -> float:
        """Seconds until the answer to one of the questions is there."""
        questions = self._assignment.questions
        slug = questions[turn % len(questions)].slug
        body = {
            "assignment": ASSIGNMENT,
            "question": slug,
            "notebook": _submission(self._assignment, slug if turn % 2 else ""),
        }
        began = time.monotonic()
        asked = await self._client.post("api/checks", json=body, headers=self._headers)
        asked.raise_for_status()
        ticket = asked.json()
        if ticket["state"] not in ("answered", "failed"):
            ticket = await self._followed(ticket["id"])
        if ticket["state"] != "answered":
            sys.exit(f"{slug} was not answered: {ticket['sentence']}")
        return time.monotonic() - began

    async def _followed(self, ticket: str) -> dict[str, Any]:
        told: dict[str, Any] = {}
        path = f"api/checks/{ticket}/events"
        async with self._client.stream("GET", path, headers=self._headers) as events:
            events.raise_for_status()
            async for line in events.aiter_lines():
                if line.startswith("data:"):
                    told = json.loads(line.removeprefix("data:"))
        return told


def _submission(assignment: Any, wrong: str) -> dict[str, Any]:
    """A submission like no other, right but for the answer `wrong`."""
    solved = {cell.id: cell.source for cell in assignment.solved.cells}
    notebook = nbformat.v4.new_notebook(cells=[])
    for released in assignment.release.cells:
        cell = nbformat.from_dict(dict(released))
        if is_solution(cell):
            cell.source = solved[cell.id]
            if cell.id == wrong:
                cell.source = cell.source.replace("return ", "return 2 * ", 1)
        notebook.cells.append(cell)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(f"own = '{secrets.token_hex(8)}'"))
    found: dict[str, Any] = json.loads(nbformat.writes(notebook))
    return found


def _peak_mib(pid: int) -> float:
    """The most memory that a process has held."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
