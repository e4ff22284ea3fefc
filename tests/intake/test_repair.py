"""Submissions are repaired from the release: what was edited, moved, forged or taken away."""

from __future__ import annotations

import copy
import json
from typing import Any

import nbformat
import pytest
from conftest import Submit
from nbformat import NotebookNode
from repaired_cells import added, cell, place
from spent import processor_seconds

from autograder import helper
from autograder.course.assignments import Assignment
from autograder.intake.submission import repair


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


def test_a_cell_that_has_kept_its_id_alone_is_the_one_that_was_released(
    a1: Assignment, submit: Submit
) -> None:
    notebook = submit()
    for name in ("attention", "check_attention"):
        one = cell(notebook, name)
        one.id, one.metadata = name, NotebookNode()
    right = next(c for c in notebook.cells if c.id == "attention").source
    repaired = repair(notebook, a1.release)
    assert repaired.flags == []
    assert cell(repaired.notebook, "attention").source == right
    assert len(repaired.notebook.cells) == len(a1.release.cells)


@pytest.mark.parametrize("code", ["x = " + "-" * 90_000 + "1", "(" * 3000, "f(" * 80 + ")" * 80])
def test_code_in_a_locked_cell_that_nobody_can_read_costs_nothing(
    a1: Assignment, submit: Submit, code: str
) -> None:
    notebook = submit()
    cell(notebook, "imports").source += f"\ndef helper():\n    {code}"
    assert processor_seconds(lambda: repair(notebook, a1.release)) < 5


def test_ends_of_lines_are_no_change(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    for each in notebook.cells:
        each.source = each.source.replace("\n", " \r\n")
    assert repair(notebook, a1.release).flags == []


def test_the_same_of_many_cells_is_told_once(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    notebook.cells += copy.deepcopy(notebook.cells)
    flags = repair(notebook, a1.release).flags
    assert len(flags) <= 4
    assert any("more were there 2 times" in flag for flag in flags)


def sent(copies: int, a1: Assignment, monkeypatch: pytest.MonkeyPatch) -> int:
    """Characters that the helper is told of a notebook of so many edited copies of one cell."""
    told: list[str] = []

    def noted(*given: Any, **more: Any) -> Any:
        told.append(json.dumps(given))
        return run(*given, **more)

    run = helper.run
    submission = copy.deepcopy(a1.release)
    imports = cell(submission, "imports")
    submission.cells = [
        NotebookNode({**imports, "source": f"own_{n:05} = {n:05}", "id": f"copy-{n}"})
        for n in range(10_000, 10_000 + copies)
    ]
    with monkeypatch.context() as patch:
        patch.setattr("autograder.helper.run", noted)
        repaired = repair(submission, a1.release).notebook
    assert f"own_{9999 + copies} = {9999 + copies}" in [one.source for one in repaired.cells]
    return max(map(len, told))


def test_what_was_released_is_told_once_for_all_copies_of_a_cell(
    a1: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, many = sent(2, a1, monkeypatch), sent(102, a1, monkeypatch)
    assert many - few < 100 * 50


def test_a_moved_cell_goes_back_and_is_flagged(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    moved = cell(notebook, "check_attention")
    notebook.cells.remove(moved)
    notebook.cells.insert(place(notebook, "check_positional_encoder"), moved)
    repaired = repair(notebook, a1.release)
    assert repaired.flags == ["cell check_attention was moved"]
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


def with_plain_cells(a1: Assignment) -> NotebookNode:
    """The release with plain cells around an answer, two of them equal.

    At its end stands an empty one.
    """
    release, v4 = copy.deepcopy(a1.release), nbformat.v4
    at = place(release, "attention")
    release.cells[at + 1 : at + 1] = [v4.new_markdown_cell("---", id="behind")]
    release.cells[at:at] = [v4.new_markdown_cell("---", id="before")]
    release.cells += [v4.new_code_cell("", id="empty")]
    return release


@pytest.mark.parametrize("keeps_ids", [True, False])
@pytest.mark.parametrize(
    "pasted",
    [
        nbformat.v4.new_code_cell(""),
        nbformat.v4.new_markdown_cell("---"),
        nbformat.v4.new_code_cell("  \n"),
    ],
    ids=["empty", "equal", "blank"],
)
def test_a_copy_of_a_plain_cell_moves_nothing(
    a1: Assignment, pasted: NotebookNode, keeps_ids: bool
) -> None:
    release = with_plain_cells(a1)
    handed_in = copy.deepcopy(release)
    own = nbformat.v4.new_code_cell("import math as m")
    at = place(handed_in, "attention")
    handed_in.cells[at:at] = [copy.deepcopy(pasted), own]
    if not keeps_ids:
        for number, one in enumerate(handed_in.cells):
            one.id = f"n{number}"
    repaired = repair(handed_in, release)
    assert repaired.flags == []
    sources = [c.source for c in repaired.notebook.cells]
    assert sources.index("import math as m") == place(repaired.notebook, "attention") - 1
    assert sources.count("---") == 2 + (pasted.source == "---")


def test_a_plain_code_cell_that_was_pasted_again_runs_again(a1: Assignment) -> None:
    release = copy.deepcopy(a1.release)
    at = place(release, "attention")
    release.cells.insert(at, nbformat.v4.new_code_cell("count = 0", id="count"))
    handed_in = copy.deepcopy(release)
    handed_in.cells.append(nbformat.v4.new_code_cell("count = 0"))
    handed_in.cells.append(nbformat.v4.new_code_cell("count += 1"))
    assert added(repair(handed_in, release)) == ["count = 0", "count += 1"]


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
