"""What is sent as a question is parsed as hostile, and only what the grader looks at goes on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mini_course import MINI

from autograder.intake.submission import parse_notebook
from autograder.service import bodies, refusals
from autograder.service.bodies import Wanted, slim, wanted
from autograder.service.refusals import Refused
from service.served import Served

WRONG = "3 * x"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe",
        b'{"assignment": "mini", "question": "double"}',
        b'{"assignment": NaN, "question": "double", "notebook": {}}',
        b'{"assignment": "mini", "question": "double", "notebook": ' + b"[" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b'{"assignment": "mini", "question": "double", "notebook": ' + b"9" * 100_000 + b"}",
    ],
    ids=range(9),
)
def test_json_that_is_no_question_is_refused(data: bytes) -> None:
    with pytest.raises(Refused) as caught:
        wanted(data)
    assert (caught.value.status, str(caught.value)) == (400, refusals.NO_QUESTION)


def body(cells: list[Any], **more: Any) -> bytes:
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells, **more}
    return json.dumps({"assignment": MINI, "question": "double", "notebook": notebook}).encode()


def code(source: Any = "", **more: Any) -> dict[str, Any]:
    return {"cell_type": "code", "id": "a", "metadata": {}, "source": source, **more}


@pytest.mark.parametrize(
    "data",
    [
        body([code()] * (bodies.CELLS + 1)),
        body([code("x" * (bodies.SOURCE_CHARS + 1))]),
        body([code(outputs=[[]] * bodies.PARTS)]),
    ],
    ids=["a thousand cells", "much code", "many parts"],
)
def test_a_notebook_that_is_too_much_is_refused_before_it_goes_on(data: bytes) -> None:
    with pytest.raises(Refused) as caught:
        wanted(data)
    assert (caught.value.status, str(caught.value)) == (413, refusals.TOO_LARGE)


@pytest.mark.parametrize(
    "cell",
    [[], None, "x", code(7), code([1]), code(None), {"source": "x"}],
    ids=range(7),
)
def test_a_notebook_without_a_cell_that_can_be_read_is_refused(cell: Any) -> None:
    with pytest.raises(Refused, match="no question"):
        wanted(body([cell]))


@pytest.mark.parametrize(
    "cell",
    [
        None,
        code(None),
        {**code(), "cell_type": "heading", "level": 2},
        {**code(), "cell_type": "plot"},
        {**code(), "id": 7},
        {**code(), "id": "x" * 65},
        {**code(), "metadata": []},
        {**code(), "metadata": {"nbgrader": "x"}},
        {**code(), "metadata": {"nbgrader": {"points": float("inf")}}},
        {**code(), "metadata": {"widgets": float("nan")}},
    ],
    ids=range(10),
)
def test_odd_cells_are_taken_as_they_are_when_they_are_handed_in(cell: Any) -> None:
    asked = body([code("x = 1"), cell])
    found = json.loads(wanted(asked).notebook)["cells"]
    handed_in = parse_notebook(json.dumps(json.loads(asked)["notebook"]).encode(), "x").cells
    assert [(one["cell_type"], one["id"], one["source"]) for one in found] == [
        (one.cell_type, one.id, one.source) for one in handed_in
    ]
    assert found[0]["source"] == "x = 1"


def test_only_what_the_grader_looks_at_goes_on() -> None:
    noted = {"grade_id": "double", "solution": True, "points": 5, "deep": {"x": [1]}}
    cell = code(
        ["def f():\n", "    pass"],
        outputs=[{"data": {"image/png": "secret"}}],
        attachments={"a.png": {}},
        execution_count=9,
    )
    cell["metadata"] = {"nbgrader": noted, "tags": ["secret"], "trusted": True}
    found = wanted(body([cell], metadata={"kernelspec": {"argv": ["secret"]}}))
    assert found == Wanted(MINI, "double", found.notebook)
    assert b"secret" not in found.notebook
    [kept] = json.loads(found.notebook)["cells"]
    assert kept["source"] == "def f():\n    pass"
    assert kept["metadata"] == {"nbgrader": {"grade_id": "double", "solution": True, "points": 5}}
    assert (kept["outputs"], kept["execution_count"]) == ([], None)


def test_outputs_and_metadata_make_no_other_question() -> None:
    one = wanted(body([code("x = 1")])).notebook
    other = wanted(body([code("x = 1", outputs=[{}], execution_count=3)], metadata={"a": 1}))
    assert one == other.notebook
    assert one == slim(json.loads(one))


def test_another_content_type_is_no_question(served: Served) -> None:
    data = json.dumps(served.question(WRONG))
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        headers = {**served.header("demo-a"), "Content-Type": kind}
        assert served.client.post("/api/checks", content=data, headers=headers).status_code == 400
    assert served.farm.judged == []
