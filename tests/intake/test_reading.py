"""Notebooks are read as hostile input: what is none is refused, and what is odd costs nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import Submit
from spent import processor_seconds

from autograder.course.assignments import Assignment
from autograder.course.notebooks import given_notebook
from autograder.errors import UnreadableSubmission, UsageError
from autograder.intake.submission import parse_notebook, read_notebook, repair

MAX_BYTES = 1 << 20


def test_a_notebook_of_an_older_format_without_cell_ids_is_read(
    tmp_path: Path, a1: Assignment, submit: Submit
) -> None:
    notebook = submit()
    notebook.nbformat_minor = 4
    for each in notebook.cells:
        del each["id"]
    path = tmp_path / "old.ipynb"
    nbformat.write(notebook, path)
    repaired = repair(read_notebook(path, MAX_BYTES), a1.release)
    assert repaired.flags == []
    assert len(repaired.notebook.cells) == len(a1.release.cells)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no json",
        b"[]",
        b"{}",
        b'{"cells": 3, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
        b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code"}]}',
        b'{"nbformat": 4, "cells": [{"cell_type": "heading", "source": "", "level": 1e999}]}',
        b"[" * 100_000,
        b"\xff\xfe\x00",
    ],
)
def test_what_is_no_notebook_is_refused_with_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.ipynb"
    path.write_bytes(content)
    with pytest.raises(UnreadableSubmission, match=r"x\.ipynb is not a Jupyter notebook"):
        read_notebook(path, MAX_BYTES)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'{\n "cells": [],\n<<<<<<< HEAD\n "nbformat": 4\n}', 3),
        (b'{"cells": [\n {"cell_type": "code",\n  "source": "",}\n]}', 3),
    ],
)
def test_what_broke_its_json_is_told_by_its_line(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "x.ipynb"
    path.write_bytes(content)
    with pytest.raises(UnreadableSubmission, match=rf"\(its JSON is broken in line {line}\): save"):
        read_notebook(path, MAX_BYTES)


@pytest.mark.parametrize("odd", [1, None, {"cell_type": "code"}, {"source": None}, "x = 1", []])
def test_an_odd_cell_costs_no_other_one(
    tmp_path: Path, a1: Assignment, submit: Submit, odd: object
) -> None:
    told = json.loads(nbformat.writes(submit()))
    path = tmp_path / "odd.ipynb"
    path.write_text(json.dumps({**told, "cells": [odd, *told["cells"], odd], "worksheets": None}))
    repaired = repair(read_notebook(path, MAX_BYTES), a1.release)
    assert repaired == repair(submit(), a1.release)


@pytest.mark.parametrize("version", [5, 99])
def test_a_version_that_nobody_knows_is_told(tmp_path: Path, version: int) -> None:
    told = json.dumps({"nbformat": version, "nbformat_minor": 0, "metadata": {}, "cells": []})
    path = tmp_path / "x.ipynb"
    path.write_text(told)
    with pytest.raises(UnreadableSubmission, match=r"in version .* unknown here: save it in ver"):
        read_notebook(path, MAX_BYTES)


def test_links_folders_pipes_and_large_files_are_refused(tmp_path: Path) -> None:
    real = tmp_path / "real.ipynb"
    real.write_bytes(b" " * 100)
    link, pipe = tmp_path / "link.ipynb", tmp_path / "pipe.ipynb"
    link.symlink_to(real)
    os.mkfifo(pipe)
    for path, why in [
        (link, "is a link"),
        (pipe, "not a regular file"),
        (tmp_path, "not a regular file"),
        (tmp_path / "none.ipynb", "No such file"),
    ]:
        with pytest.raises(UnreadableSubmission, match=why):
            read_notebook(path, MAX_BYTES)
    with pytest.raises(UnreadableSubmission, match="more than the limit of 10"):
        read_notebook(real, 10)


@pytest.mark.parametrize(
    "cells",
    [
        [{}] * 900_000,
        [{"cell_type": "code", "source": "a\n" * 3_000_000}],
        [{"cell_type": "code", "source": ["a"] * 1_000_000}],
    ],
    ids=["cells", "code", "lines"],
)
def test_a_notebook_that_takes_minutes_to_check_is_refused_at_once(
    cells: list[dict[str, object]],
) -> None:
    data = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    with pytest.raises(UnreadableSubmission, match="more parts than any answer needs"):
        parse_notebook(data.encode(), "x")


def test_what_would_fill_the_memory_is_not_parsed() -> None:
    data = b'{"nbformat": 4, "metadata": {"x": [' + b"{}," * 1_500_000 + b'{}]}, "cells": []}'
    with pytest.raises(UnreadableSubmission, match=r"holds 3,00.* values, more than any answer"):
        parse_notebook(data, "x")


def test_what_looks_like_the_graders_own_notes_fills_no_memory() -> None:
    notes = {"flags": ["a"], "submitted": "x", "odd": [{}] * 300_000, "deep": {"a": {}}}
    found = {"nbformat": 4, "metadata": {"autograder": notes}, "cells": []}
    notebook = parse_notebook(json.dumps(found).encode(), "x")
    assert notebook.metadata == {"autograder": {"flags": ["a"], "submitted": "x"}}


CELL = {"cell_type": "code", "id": "a", "metadata": {}, "source": "1", "execution_count": None}
ANSWER = {"nbgrader": {"grade_id": "attention", "solution": True}}


@pytest.mark.parametrize(
    "odd",
    [
        {"outputs": [{"a": [n]} for n in range(500_000)]},
        {"execution_count": "*"},
        {"metadata": None, "outputs": None},
        {"metadata": {"tags": [1] * 200_000, "jupyter": 3, "collapsed": "no"}},
        {"metadata": {str(n): {} for n in range(200_000)}},
        {"id": "with spaces"},
        {"id": None, "another": {"key": ["of", "somebody"]}},
        {"attachments": {"a.png": {"image/png": "AAAA"}}},
        {"source": ["1"]},
    ],
    ids=lambda odd: "-".join(odd),
)
def test_whatever_stands_beside_an_answer_it_is_read_at_once(odd: dict[str, Any]) -> None:
    data = json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": [{**CELL, **odd}, CELL]})
    found = []
    assert processor_seconds(lambda: found.append(parse_notebook(data.encode(), "x"))) < 2
    assert [cell.source for cell in found[0].cells] == ["1", "1"]


@pytest.mark.parametrize("left_out", ["id", "metadata", "outputs", "execution_count"])
def test_a_cell_without_what_it_should_have_is_read(left_out: str) -> None:
    cell = {key: value for key, value in {**CELL, "outputs": []}.items() if key != left_out}
    data = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})
    assert parse_notebook(data.encode(), "x").cells[0].source == "1"


def test_what_nbgrader_notes_stays_and_what_is_no_scalar_of_it_goes() -> None:
    odd = {**ANSWER["nbgrader"], "checksum": ["a"], "points": 3}
    cells = [{**CELL, "metadata": {"nbgrader": odd, "colab": {"id": "x"}, "tags": ["a", "a"]}}]
    data = json.dumps({"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": cells})
    (cell,) = parse_notebook(data.encode(), "x").cells
    assert cell.metadata == {"nbgrader": {**ANSWER["nbgrader"], "points": 3}, "tags": ["a"]}


def test_what_no_file_can_hold_is_shown_as_a_question_mark(submit: Submit) -> None:
    own = submit(attention="def attention(q, k, v):\n    return '\ud800', '\U0001f600'")
    data = json.dumps(own).encode()
    assert b"\\ud800" in data
    sources = [cell.source for cell in parse_notebook(data, "x").cells if cell.id == "attention"]
    assert sources == ["def attention(q, k, v):\n    return '?', '\U0001f600'"]


def test_a_notebook_of_version_3_is_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Attention"]},
        {"cell_type": "code", "input": ["1"], "language": "python", "metadata": ANSWER},
    ]
    data = json.dumps({"nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": cells}]})
    title, code = parse_notebook(data.encode(), "x").cells
    assert (title.cell_type, title.source) == ("markdown", "## Attention")
    assert (code.source, code.metadata) == ("1", ANSWER)


def test_of_a_notebook_in_another_encoding_the_line_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    path.write_bytes(b'{\n "cells": [],\n "author": "Zo\xeb"\n}')
    told = r"x\.ipynb is not a Jupyter notebook \(line 3 holds a byte that is not UTF-8\): save"
    with pytest.raises(UnreadableSubmission, match=told):
        read_notebook(path, MAX_BYTES)
    with pytest.raises(UsageError, match=r"can be read \(line 3 holds a byte that is not UTF-8\)"):
        given_notebook(path)
