"""What students send, read as hostile: bounded in bytes, in time and in what it is made of.

Theory of operation. A body is read piece by piece and refused at the first byte too many, or when
it takes too long; all bodies share one budget of memory until they are parsed. What JSON makes of
few bytes may take many times as much: so its parts are counted before it is parsed, two are parsed
at a time, and nesting ends the parser. Of a notebook only what the grader looks at goes on.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.requests import ClientDisconnect, Request

from autograder.errors import UnreadableSubmission
from autograder.intake.bare import FAULTS, bare_notebook, cells_of, parts
from autograder.service import refusals
from autograder.service.refusals import Refused
from autograder.service.tables import NAME_CHARS

BODY_BYTES = 8 << 20
BODY_SECONDS = 20.0
BUDGET_BYTES = 256 << 20  # of all bodies at one time
PARTS = 400_000  # values that the JSON of a body may hold
CELLS = 500
SOURCE_CHARS = 1 << 20  # of all cells


@dataclass(frozen=True)
class Wanted:
    """What a body asks for.

    Attributes:
        notebook: JSON of nbformat 4.5 with the cells' types, sources, ids and nbgrader metadata.
    """

    assignment: str
    slug: str
    notebook: bytes


class Bodies:
    """Reads the bodies of one service."""

    def __init__(self) -> None:
        self._held = 0
        self._parsers = asyncio.Semaphore(2)

    async def wanted(self, request: Request) -> Wanted:
        """What is asked for.

        Raises:
            Refused: it is too large or too slow, or asks for nothing.
        """
        async with self.read(request, "application/json", BODY_BYTES) as data, self._parsers:
            return await asyncio.to_thread(wanted, data)

    @asynccontextmanager
    async def read(self, request: Request, kind: str, most: int) -> AsyncIterator[bytearray]:
        """A body of the content type `kind`, which takes its part of the budget until it is left.

        Raises:
            Refused: it is of another one, too large or too slow.
        """
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != kind:
            raise Refused(400, refusals.NO_QUESTION)
        told = request.headers.get("content-length", "0")
        if not told.isdecimal() or int(told[:20]) > most:
            raise Refused(413, refusals.TOO_LARGE)
        data = bytearray()
        try:
            await self._fill(data, request, most)
            yield data
        finally:
            self._held -= len(data)

    async def _fill(self, data: bytearray, request: Request, most: int) -> None:
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for piece in request.stream():
                    if len(data) + len(piece) > most:
                        raise Refused(413, refusals.TOO_LARGE)
                    if self._held + len(piece) > BUDGET_BYTES:
                        raise Refused(503, refusals.QUEUE_FULL, 5)
                    self._held += len(piece)
                    data += piece
        except (TimeoutError, ClientDisconnect) as error:
            raise Refused(408, refusals.TOO_SLOW, 1) from error


def wanted(data: bytes | bytearray) -> Wanted:
    """What a body asks for.

    Raises:
        Refused: it is no question, or has too many parts.
    """
    if parts(data) > PARTS:
        raise Refused(413, refusals.TOO_LARGE)
    try:
        found = json.loads(data)
        assignment, slug = _name(found["assignment"]), _name(found["question"])
        return Wanted(assignment, slug, slim(found["notebook"]))
    except (UnreadableSubmission, *FAULTS) as error:
        raise Refused(400, refusals.NO_QUESTION) from error


def slim(notebook: Mapping[str, Any]) -> bytes:
    """A notebook, of any version, without outputs, pictures and all other metadata.

    Raises:
        Refused: it has too many cells, or too much in them.
        UnreadableSubmission, `FAULTS`: it is none.
    """
    found = cells_of(notebook)
    if len(found) > CELLS:
        raise Refused(413, refusals.TOO_LARGE)
    made = bare_notebook(notebook, found, "the notebook")
    cells = [_slim_cell(cell) for cell in made["cells"]]
    if sum(len(cell["source"]) for cell in cells) > SOURCE_CHARS:
        raise Refused(413, refusals.TOO_LARGE)
    return json.dumps({**made, "metadata": {}, "cells": cells}).encode()


def _slim_cell(cell: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in cell.items() if key != "attachments"}
    noted = {key: value for key, value in cell["metadata"].items() if key == "nbgrader"}
    return {**kept, "metadata": noted}


def _name(text: Any) -> str:
    if not isinstance(text, str) or not 0 < len(text) <= NAME_CHARS:
        raise ValueError("no name")
    return text
