"""Reading submissions as hostile input, and repairing them from the release."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path

import nbformat
import pytest
from conftest import Submit
from nbformat import NotebookNode

from autograder.course.assignments import Assignment
from autograder.course.cells import grade_id
from autograder.errors import UnreadableSubmission
from autograder.intake.submission import parse_notebook, read_notebook, repair

MAX_BYTES = 1 << 20


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(c for c in notebook.cells if grade_id(c) == name)


def place(notebook: NotebookNode, name: str) -> int:
    return notebook.cells.index(cell(notebook, name))


def test_an_untouched_submission_comes_back_unflagged(a1: Assignment, submit: Submit) -> None:
    repaired = repair(submit(), a1.release)
    assert repaired.flags == []
    assert repaired.unanswered == frozenset()
    assert [c.id for c in repaired.notebook.cells] == [c.id for c in a1.release.cells]
    nbformat.validate(repaired.notebook)


def test_the_release_itself_is_unanswered_everywhere(a1: Assignment) -> None:
    repaired = repair(a1.release, a1.release)
    assert repaired.unanswered == {question.slug for question in a1.questions}


def test_an_edited_locked_cell_is_restored_and_flagged(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    cell(notebook, "check_attention").source = "print('all good')"
    repaired = repair(notebook, a1.release)
    assert repaired.flags == ["locked cell check_attention was edited"]
    assert (
        cell(repaired.notebook, "check_attention").source
        == cell(a1.release, "check_attention").source
    )


def test_a_missing_cell_is_restored_and_flagged(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    notebook.cells.remove(cell(notebook, "check_attention"))
    notebook.cells.remove(cell(notebook, "self_attention"))
    repaired = repair(notebook, a1.release)
    assert repaired.flags == [
        "locked cell check_attention was missing",
        "solution cell self_attention was missing",
    ]
    assert "self_attention" in repaired.unanswered
    assert len(repaired.notebook.cells) == len(a1.release.cells)


def test_of_a_duplicated_answer_the_last_changed_one_counts(a1: Assignment, submit: Submit) -> None:
    notebook = submit(attention="first = 1")
    stub = copy.deepcopy(cell(a1.release, "attention"))
    second = copy.deepcopy(cell(notebook, "attention"))
    second.source = "second = 2"
    at = place(notebook, "attention")
    notebook.cells[at + 1 : at + 1] = [second, stub]
    repaired = repair(notebook, a1.release)
    assert repaired.flags == ["solution cell attention was there 3 times"]
    assert cell(repaired.notebook, "attention").source == "second = 2"


def test_a_moved_cell_goes_back_and_is_flagged(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    moved = cell(notebook, "check_attention")
    notebook.cells.remove(moved)
    notebook.cells.insert(place(notebook, "check_positional_encoder"), moved)
    repaired = repair(notebook, a1.release)
    assert any("was moved" in flag for flag in repaired.flags)
    assert [c.id for c in repaired.notebook.cells] == [c.id for c in a1.release.cells]


def test_a_retyped_cell_gets_its_type_back_and_is_flagged(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    at = place(notebook, "attention")
    metadata = notebook.cells[at].metadata
    notebook.cells[at] = nbformat.v4.new_raw_cell("x = 1", metadata=metadata)
    repaired = repair(notebook, a1.release)
    assert repaired.flags == ["solution cell attention had another cell type"]
    assert cell(repaired.notebook, "attention").cell_type == "code"
    assert cell(repaired.notebook, "attention").source == "x = 1"


@pytest.mark.parametrize(
    "forged",
    [{"points": 1000}, {"grade": False}, {"locked": False}, {"solution": True}, {"points": None}],
)
def test_grading_settings_come_from_the_release(
    a1: Assignment, submit: Submit, forged: dict[str, object]
) -> None:
    notebook = submit()
    cell(notebook, "check_attention").metadata.nbgrader.update(forged)
    repaired = repair(notebook, a1.release)
    assert repaired.flags == ["locked cell check_attention had other grading settings"]
    restored = cell(repaired.notebook, "check_attention").metadata.nbgrader
    assert restored == cell(a1.release, "check_attention").metadata.nbgrader


def test_added_cells_stay_behind_the_cell_they_followed(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    helper = nbformat.v4.new_code_cell("def helper(): ...", metadata={"nbgrader": {"x": 1}})
    notebook.cells.insert(place(notebook, "attention"), helper)
    notebook.cells.insert(0, nbformat.v4.new_code_cell("first = True"))
    repaired = repair(notebook, a1.release)
    assert repaired.flags == []
    assert repaired.notebook.cells[0].source == "first = True"
    before = repaired.notebook.cells[place(repaired.notebook, "attention") - 1]
    assert before.source == "def helper(): ..."
    assert before.metadata == {}
    ids = [c.id for c in repaired.notebook.cells]
    assert len(set(ids)) == len(ids)


def test_outputs_of_the_student_are_dropped(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    cell(notebook, "check_attention").outputs = [
        nbformat.v4.new_output("execute_result", {"text/plain": "30.0"}, execution_count=1)
    ]
    repaired = repair(notebook, a1.release)
    assert all(not c.outputs for c in repaired.notebook.cells if c.cell_type == "code")


def test_notebook_metadata_comes_from_the_release(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    notebook.metadata.kernelspec = {"name": "evil", "display_name": "evil"}
    notebook.metadata.autograder = {"flags": ["forged"], "unanswered": []}
    assert repair(notebook, a1.release).notebook.metadata == a1.release.metadata


def test_repair_changes_neither_argument(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    before = copy.deepcopy((notebook, a1.release))
    repair(notebook, a1.release)
    assert (notebook, a1.release) == before


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
        b"[" * 100_000,
        b"\xff\xfe\x00",
    ],
)
def test_what_is_no_notebook_is_refused_with_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.ipynb"
    path.write_bytes(content)
    with pytest.raises(UnreadableSubmission, match=r"x\.ipynb is not a Jupyter notebook"):
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
        [{}] * 1_000_000,
        [{"cell_type": "code", "source": "a\n" * 3_000_000}],
        [{"cell_type": "code", "source": ["a"] * 1_000_000}],
        [{"cell_type": "raw", "metadata": {str(n): {} for n in range(500_000)}}],
    ],
    ids=["cells", "code", "lines", "metadata"],
)
def test_a_notebook_that_takes_minutes_to_check_is_refused_at_once(
    cells: list[dict[str, object]],
) -> None:
    data = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    with pytest.raises(UnreadableSubmission, match="more parts than any answer needs"):
        parse_notebook(data.encode(), "x")


def test_the_outputs_of_a_submission_may_be_anything() -> None:
    cell = {"cell_type": "code", "metadata": {}, "source": "1", "execution_count": None}
    cells = [{**cell, "id": "a", "outputs": [{"a": [n]} for n in range(500_000)]}]
    data = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    assert parse_notebook(data.encode(), "x").cells[0].source == "1"
