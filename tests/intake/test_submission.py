"""Reading submissions as hostile input, and repairing them from the release."""

from __future__ import annotations

import ast
import copy
import json
import os
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import Submit
from nbformat import NotebookNode

from autograder.course.assignments import Assignment, Course
from autograder.course.cells import grade_id, is_solution
from autograder.errors import UnreadableSubmission
from autograder.intake.submission import Repaired, parse_notebook, read_notebook, repair

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


@pytest.mark.parametrize("stub", ["taken away", "above", "below"])
def test_an_answer_in_a_cell_of_its_own_is_taken_where_the_released_one_is_as_it_was(
    a1: Assignment, submit: Submit, stub: str
) -> None:
    notebook = submit()
    at, right = place(notebook, "self_attention"), cell(submit(), "self_attention").source
    released = copy.deepcopy(cell(a1.release, "self_attention"))
    first, own = nbformat.v4.new_code_cell("half = 0.5"), nbformat.v4.new_code_cell(right)
    last = nbformat.v4.new_code_cell("print(SelfAttention)")
    mine = [first, own, last]
    cells = {"taken away": mine, "above": [released, *mine], "below": [*mine, released]}[stub]
    notebook.cells[at : at + 1] = cells
    repaired = repair(notebook, a1.release)
    assert repaired.flags == ["solution cell self_attention was answered in another cell"]
    assert repaired.unanswered == frozenset()
    where = place(repaired.notebook, "self_attention")
    around = [each.source for each in repaired.notebook.cells[where - 1 : where + 2]]
    assert around == [first.source, right, last.source]


def test_an_answer_that_was_merged_into_a_locked_cell_is_taken_out_of_it(
    a1: Assignment, submit: Submit
) -> None:
    notebook = submit()
    merged = cell(notebook, "self_attention")
    at = place(notebook, "self_attention")
    before = next(c for c in reversed(notebook.cells[:at]) if c.cell_type == "code")
    before.source += f"\n\n{merged.source}"
    notebook.cells.remove(merged)
    repaired = repair(notebook, a1.release)
    assert "solution cell self_attention was answered in another cell" in repaired.flags
    assert repaired.unanswered == frozenset()
    found = cell(repaired.notebook, "self_attention").source
    assert ast.dump(ast.parse(found)) == ast.dump(ast.parse(merged.source))


def test_what_a_locked_cell_defines_is_not_defined_anew(course: Course) -> None:
    release = course.assignment("a1_attention_blocks").release
    locked = next(c for c in release.cells if "def draw_heads" in c.source)
    notebook = copy.deepcopy(release)
    spoilt = next(c for c in notebook.cells if c.id == locked.id)
    spoilt.source = spoilt.source.replace("def draw_heads():", "def draw_heads():\n    return 1")
    repaired = repair(notebook, release)
    assert added(repaired) == []
    assert next(c for c in repaired.notebook.cells if c.id == locked.id).source == locked.source


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


@pytest.mark.parametrize("left", [True, False])
def test_a_text_that_was_written_below_the_cell_for_it_is_the_answer(
    course: Course, left: bool
) -> None:
    release = course.assignment("a4_text_classification").release
    essay = next(c for c in release.cells if is_solution(c) and c.cell_type == "markdown")
    notebook = copy.deepcopy(release)
    texts = [nbformat.v4.new_markdown_cell(text) for text in ("One.", "Two.")]
    at = place(notebook, grade_id(essay) or "")
    notebook.cells[at + left : at + 1] = [*texts, nbformat.v4.new_code_cell("print(1)")]
    notebook.cells.insert(0, nbformat.v4.new_markdown_cell("My notes."))
    repaired = repair(notebook, release)
    assert cell(repaired.notebook, grade_id(essay) or "").source == "One.\n\nTwo."
    assert grade_id(essay) not in repaired.unanswered
    assert added(repaired) == ["My notes.", "print(1)"]


@pytest.mark.parametrize("code", ["x = " + "-" * 90_000 + "1", "(" * 3000, "f(" * 80 + ")" * 80])
def test_code_in_a_locked_cell_that_nobody_can_read_costs_nothing(
    a1: Assignment, submit: Submit, code: str
) -> None:
    notebook = submit()
    cell(notebook, "imports").source += f"\ndef helper():\n    {code}"
    started = time.process_time()
    repair(notebook, a1.release)
    assert time.process_time() - started < 5


def test_a_cell_elsewhere_stays_there_whatever_it_defines(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    own = nbformat.v4.new_code_cell(cell(notebook, "self_attention").source)
    notebook.cells.remove(cell(notebook, "self_attention"))
    notebook.cells.append(own)
    repaired = repair(notebook, a1.release)
    assert repaired.flags == ["solution cell self_attention was missing"]
    assert repaired.notebook.cells[-1].source == own.source
    assert repaired.unanswered == {"self_attention"}


def added(repaired: Repaired) -> list[str]:
    return [each.source for each in repaired.notebook.cells if each.id.startswith("added-")]


def split(notebook: NotebookNode, name: str, *sources: str) -> NotebookNode:
    """The notebook with copies of a cell of these sources in its place, as JupyterLab splits it."""
    whole = cell(notebook, name)
    parts = [NotebookNode({**copy.deepcopy(whole), "source": source}) for source in sources]
    where = notebook.cells.index(whole)
    notebook.cells[where : where + 1] = parts
    return notebook


HELPER = "def scores(q, k):\n    return q @ k.mT"
SCRATCH = "print(attention(sample_q, sample_k, sample_v))"


@pytest.mark.parametrize("scratch", [SCRATCH, "%%time\n" + SCRATCH, "attention_of = attention"])
def test_the_parts_of_a_split_answer_run_in_their_order(
    a1: Assignment, submit: Submit, scratch: str
) -> None:
    right = cell(submit(), "attention").source
    repaired = repair(split(submit(), "attention", HELPER, right, scratch), a1.release)
    where = place(repaired.notebook, "attention")
    around = [each.source for each in repaired.notebook.cells[where - 1 : where + 2]]
    assert around == [HELPER, right, scratch]
    assert repaired.flags == ["solution cell attention was there 3 times"]
    assert repaired.unanswered == frozenset()


def test_of_an_answer_that_stands_twice_the_first_runs_too_and_the_last_counts(
    a1: Assignment, submit: Submit
) -> None:
    first, last = "def attention(q, k, v):\n    return v", "def attention(q, k, v):\n    return q"
    repaired = repair(split(submit(), "attention", first, last, last), a1.release)
    assert cell(repaired.notebook, "attention").source == last
    assert added(repaired) == [first]


def test_of_a_written_answer_no_part_is_lost(course: Course) -> None:
    release = course.assignment("a4_text_classification").release
    essay = next(c for c in release.cells if is_solution(c) and c.cell_type == "markdown")
    name = grade_id(essay) or ""
    notebook = split(copy.deepcopy(release), name, "The first part.", "The second.")
    repaired = repair(notebook, release)
    assert cell(repaired.notebook, name).source == "The first part.\n\nThe second."
    assert added(repaired) == []


@pytest.mark.parametrize(
    ("own", "kept"),
    [
        ("import numpy as np", "import numpy as np"),
        ("import numpy as np  # tables", "import numpy as np"),
        ("from os import (\n    path,\n)", "from os import path"),
        ("x = 2; from os import *", "from os import *"),
        ("try:\n    import os\nexcept ImportError:\n    import sys", None),
        ("import numpy as np\nx = (", "import numpy as np"),
        ("!pip list\nimport numpy as np", "import numpy as np"),
        ("def helper(x):\n    return 2 * x", None),
    ],
)
def test_what_is_imported_or_defined_in_a_locked_cell_stands_behind_it(
    a1: Assignment, submit: Submit, own: str, kept: str | None
) -> None:
    kept = kept or own
    notebook = submit()
    imports = cell(notebook, "imports")
    imports.source = f"{own}\n{imports.source}\nx = 1"
    repaired = repair(notebook, a1.release)
    assert added(repaired) == [kept]
    assert cell(repaired.notebook, "imports").source == cell(a1.release, "imports").source
    assert repaired.flags == ["locked cell imports was edited"]


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
    started = time.process_time()
    notebook = parse_notebook(data.encode(), "x")
    assert time.process_time() - started < 2
    assert [cell.source for cell in notebook.cells] == ["1", "1"]


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
