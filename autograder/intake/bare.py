"""What grading needs of a submitted notebook, out of JSON that may be anything.

Theory of operation. What JSON makes of few bytes may take many times as much, and nbformat looks
at each part of it, so the parts are counted before anything is parsed, and only what is known goes
on: types, sources, ids, attachments, and what nbgrader notes. All else is made anew. A file whose
answers can be read is taken, whatever tool has spoilt the rest of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from autograder.course.notebooks import where_broken
from autograder.errors import UnreadableSubmission
from autograder.results.plain import encodable

MAX_PARTS = 2_000_000  # values of the file, its outputs included
MAX_CELLS = 5_000
MAX_CODE = 4 << 20  # characters of all cells that are code
MAX_QUOTES = 200_000  # of a notebook whose outputs and metadata are kept
MAX_NOTED = 50  # entries that anything may note of one cell
METADATA = "autograder"  # of a notebook: what stands there between two of nbgrader's steps
_VERSIONS = (1, 2, 3, 4)
_LATER = range(5, 100)
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TYPES = {"code": "code", "markdown": "markdown", "html": "markdown", "heading": "markdown"}
_SWITCHES = ("collapsed", "deletable", "editable", "scrolled")
FAULTS = (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError)


def no_notebook(name: str, error: Exception | None = None) -> UnreadableSubmission:
    """Says that `name` is none, and in which line, if an `error` tells that."""
    return UnreadableSubmission(
        f"{name} is not a Jupyter notebook{where_broken(error)}: save it again from Jupyter"
    )


def _unknown(name: str, version: int) -> UnreadableSubmission:
    return UnreadableSubmission(
        f"{name} is a notebook in version {version} of the format, which is unknown here: "
        "save it in version 4"
    )


def bare_text(data: bytes | str, name: str, without_outputs: bool = True) -> str:
    """The JSON of a notebook of version 4.5 with what is known of `data`, and without outputs.

    Args:
        without_outputs: whether others will be made. Else it stays as it is.

    Raises:
        UnreadableSubmission: it is no notebook, or of a size that takes minutes to check.
    """
    if (values := parts(data)) > MAX_PARTS:
        raise UnreadableSubmission(
            f"{name} holds {values:,} values, more than any answer needs: clear its outputs"
        )
    try:
        notebook = json.loads(data)
        found = cells_of(notebook)
        if len(found) > MAX_CELLS:
            raise _too_much(name, found)
        cells = _sound(notebook, found, name)
        made = _made(notebook, cells) if without_outputs else notebook
        text = encodable(json.dumps(made, ensure_ascii=False))
    except FAULTS as error:
        raise no_notebook(name, error) from error
    if _code(cells) > MAX_CODE or (not without_outputs and text.count('"') > MAX_QUOTES):
        raise _too_much(name, cells)
    return text


def parts(data: bytes | bytearray | str) -> int:
    """How many values its JSON holds at most."""
    if isinstance(data, str):
        return sum(map(data.count, "{[,"))
    return sum(map(data.count, (b"{", b"[", b",")))


def cells_of(notebook: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """All cells of a notebook of any version.

    Raises:
        `FAULTS`: it is none.
    """
    sheets = (notebook, *(notebook.get("worksheets") or ()))
    every = [cell for sheet in sheets for cell in sheet.get("cells", ())]
    return [cell for cell in every if isinstance(cell, Mapping)]


def bare_notebook(
    notebook: Mapping[str, Any], cells: Iterable[Mapping[str, Any]], name: str
) -> dict[str, Any]:
    """A notebook of version 4.5 with what is known of another one and of `cells`, all that it has.

    Raises:
        UnreadableSubmission: it is none, or of a later version.
        `FAULTS`: it is none.
    """
    return _made(notebook, _sound(notebook, cells, name))


def bare_cell(cell: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A cell of version 4.5 with what is known of `cell`; `name` is its id if it has no sound one.

    Raises:
        ValueError, TypeError, KeyError, AttributeError: it has no source.
    """
    kind = _TYPES.get(cell["cell_type"], "raw")
    own = cell.get("id")
    sound = isinstance(own, str) and _ID.fullmatch(own)
    metadata = cell.get("metadata")
    made = {
        "cell_type": kind,
        "id": own if sound else name,
        "metadata": _noted(metadata) if isinstance(metadata, Mapping) else {},
        "source": _source(cell),
    }
    if kind == "code":
        return {**made, "outputs": [], "execution_count": None}
    attached = _attachments(cell.get("attachments"))
    return {**made, "attachments": attached} if attached else made


def _made(notebook: Mapping[str, Any], cells: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    made: dict[str, dict[str, Any]] = {}
    for number, cell in enumerate(cells):
        one = bare_cell(cell, f"cell-{number}")
        while one["id"] in made:
            one["id"] = f"cell-{number}-{len(made)}"
            number += 1
        made[one["id"]] = one
    found = notebook.get("metadata")
    metadata = found if isinstance(found, Mapping) else {}
    told = {key: _texts(metadata.get(key)) for key in ("kernelspec", "language_info")}
    if not {"name", "display_name"} <= told["kernelspec"].keys():
        told["kernelspec"] = {}
    if "name" not in told["language_info"]:
        told["language_info"] = {}
    own = {METADATA: _left(metadata[METADATA])} if METADATA in metadata else {}
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {**{key: value for key, value in told.items() if value}, **own},
        "cells": [*made.values()],
    }


def _left(found: Any) -> dict[str, str | list[str]]:
    """Texts and lists of texts, as all that is left between two steps of nbgrader."""
    named = found if isinstance(found, Mapping) else {}
    made: dict[str, str | list[str]] = {**_texts(named)}
    for key, value in [*named.items()][:MAX_NOTED]:
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            made[key] = value
    return made


def _sound(
    notebook: Mapping[str, Any], found: Iterable[Mapping[str, Any]], name: str
) -> list[Mapping[str, Any]]:
    """The cells with a source, of a notebook whose version is known."""
    cells = [cell for cell in found if _has_source(cell)]
    version = notebook.get("nbformat", 4)
    if version in _LATER:
        raise _unknown(name, version)
    if version not in _VERSIONS or not (cells or notebook["cells"] == []):
        raise no_notebook(name)
    return cells


def _has_source(cell: Mapping[str, Any]) -> bool:
    return cell.get("source", cell.get("input")) is not None


def _source(cell: Mapping[str, Any]) -> str:
    """Its text; of version 3, a heading's with its marks."""
    found = cell["source"] if "source" in cell else cell["input"]
    text = found if isinstance(found, str) else "".join(found)
    if cell["cell_type"] == "heading":
        return f"{'#' * min(int(cell.get('level', 1)), 6)} {text}"
    return text


def _noted(metadata: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {key: metadata[key] for key in _SWITCHES if _is_switch(metadata, key)}
    if isinstance(noted := metadata.get("nbgrader"), Mapping):
        made["nbgrader"] = _scalars(noted)
    tags = metadata.get("tags")
    if isinstance(tags, list):
        made["tags"] = [*dict.fromkeys(tag for tag in tags[:MAX_NOTED] if isinstance(tag, str))]
    return made


def _is_switch(metadata: Mapping[str, Any], key: str) -> bool:
    return isinstance(metadata.get(key), bool)


def _scalars(noted: Mapping[str, Any]) -> dict[str, Any]:
    """What of it is a number, a text, a truth value or nothing, in `MAX_NOTED` entries at most."""
    kinds = (str, bool, int, float, type(None))
    kept = {name: value for name, value in noted.items() if isinstance(value, kinds)}
    return dict([*kept.items()][:MAX_NOTED])


def _texts(noted: Any) -> dict[str, str]:
    found = _scalars(noted) if isinstance(noted, Mapping) else {}
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _attachments(found: Any) -> dict[str, dict[str, str]]:
    """Pictures in base64 by name and type."""
    named = [*found.items()][:MAX_NOTED] if isinstance(found, Mapping) else []
    return {name: texts for name, one in named if (texts := _texts(one))}


def _code(cells: Iterable[Mapping[str, Any]]) -> int:
    code = [cell for cell in cells if cell.get("cell_type") == "code"]
    return sum(len(str(cell.get(key, ""))) for cell in code for key in ("source", "input"))


def _too_much(name: str, cells: Iterable[Mapping[str, Any]]) -> UnreadableSubmission:
    return UnreadableSubmission(
        f"{name} has {len([*cells]):,} cells with {_code(cells):,} characters of code, and more "
        "parts than any answer needs: take out what is no answer"
    )
