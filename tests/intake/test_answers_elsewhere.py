"""An answer is taken from where the student has put it: another cell, several, a locked one."""

from __future__ import annotations

import ast
import copy
import json

import nbformat
import pytest
from conftest import IDS, ROOT, Submit
from nbformat import NotebookNode
from repaired_cells import added, cell, place
from sample_class import Sample, build

from autograder.course.assignments import Assignment, Course
from autograder.course.cells import grade_id, is_solution
from autograder.intake.belonging import origin, released_in
from autograder.intake.submission import parse_notebook, repair


@pytest.mark.parametrize(("assignment", "end"), [*((each, "\n") for each in IDS), (IDS[0], "\r\n")])
def test_where_neither_ids_nor_metadata_are_left_every_answer_is_found(
    assignment: str, end: str
) -> None:
    release = Course(ROOT).assignment(assignment).release
    solved = build(Sample("demo"), assignment)
    bare = json.loads(nbformat.writes(solved))
    for each in bare["cells"]:
        each["metadata"] = {}
        del each["id"]
        each["source"] = "".join(each["source"]).replace("\n", end)
    bare["nbformat_minor"] = 4
    notebook = parse_notebook(json.dumps(bare).encode(), "bare.ipynb")
    assert origin(notebook, released_in(Course(ROOT)), "bare.ipynb").assignment == assignment
    repaired = repair(notebook, release)
    answers = [one for one in solved.cells if is_solution(one) and one.cell_type == "code"]
    assert answers
    for one in answers:
        found = cell(repaired.notebook, str(grade_id(one))).source
        assert found.replace(end, "\n") == one.source
    (flag,) = repaired.flags
    assert "were found by content, since no cell had its nbgrader id" in flag


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


def joined(notebook: NotebookNode, *names: str) -> NotebookNode:
    """The notebook with these cells joined to the first of them, as JupyterLab merges cells."""
    cells = [cell(notebook, name) for name in names]
    cells[0].source = "\n\n".join(each.source for each in cells)
    for other in cells[1:]:
        notebook.cells.remove(other)
    return notebook


@pytest.mark.parametrize("names", [["self_attention"], ["self_attention", "cross_attention"]])
def test_answers_that_were_joined_to_one_above_are_taken_out_of_it(
    a1: Assignment, submit: Submit, names: list[str]
) -> None:
    notebook = joined(submit(), "attention", *names)
    repaired = repair(notebook, a1.release)
    assert repaired.flags == [
        f"solution cell {name} was answered in another cell" for name in names
    ]
    assert repaired.unanswered == frozenset()
    assert added(repaired) == []
    assert cell(repaired.notebook, "attention").source == cell(notebook, "attention").source
    for name in names:
        right, found = cell(submit(), name), cell(repaired.notebook, name)
        assert ast.dump(ast.parse(found.source)) == ast.dump(ast.parse(right.source))


def test_an_answer_joined_to_one_above_is_none_while_its_own_cell_is_there(
    a1: Assignment, submit: Submit
) -> None:
    notebook = submit()
    stub = cell(notebook, "self_attention")
    cell(notebook, "attention").source += f"\n\n{stub.source}"
    stub.source = cell(a1.release, "self_attention").source
    repaired = repair(notebook, a1.release)
    assert repaired.unanswered == {"self_attention"}


PLOT = "positional_encoder_plot"


@pytest.mark.parametrize(
    "names",
    [
        ["plot_pe", PLOT],
        ["plot_pe", PLOT, f"check_{PLOT}"],
        [PLOT, f"check_{PLOT}"],
        ["positional_encoder", "check_positional_encoder", "positional_encoder_figure", "plot_pe"],
    ],
)
def test_an_answer_made_of_statements_counts_when_it_was_joined_to_cells_around_it(
    a1: Assignment, submit: Submit, names: list[str]
) -> None:
    notebook, stays = submit(), names[-1 if names[0] == PLOT else 0]
    names = names if PLOT in names else [*names, PLOT]
    right = cell(notebook, PLOT).source
    merged = "\n\n".join(cell(notebook, name).source for name in names)
    for name in {*names} - {stays}:
        notebook.cells.remove(cell(notebook, name))
    cell(notebook, stays).source = merged
    repaired = repair(notebook, a1.release)
    assert f"solution cell {PLOT} was answered in another cell" in repaired.flags
    assert repaired.unanswered == frozenset()
    assert added(repaired) == []
    found = cell(repaired.notebook, PLOT).source
    assert ast.dump(ast.parse(found)) == ast.dump(ast.parse(right))
    given = cell(a1.release, "plot_pe").source
    assert cell(repaired.notebook, "plot_pe").source == given


def test_statements_in_a_given_cell_are_left_out_while_the_cells_of_answers_are_there(
    a1: Assignment, submit: Submit
) -> None:
    notebook = submit()
    cell(notebook, "plot_pe").source += "\nplot_pe(None, [])"
    repaired = repair(notebook, a1.release)
    assert added(repaired) == []
    assert cell(repaired.notebook, PLOT).source == cell(notebook, PLOT).source


def test_an_answer_made_of_statements_may_be_written_anew_where_its_cell_was(
    a1: Assignment, submit: Submit
) -> None:
    notebook = submit()
    at, right = place(notebook, PLOT), cell(notebook, PLOT).source
    notebook.cells[at : at + 1] = [nbformat.v4.new_code_cell(text) for text in ("half = 1", right)]
    repaired = repair(notebook, a1.release)
    assert repaired.flags == [f"solution cell {PLOT} was answered in another cell"]
    assert cell(repaired.notebook, PLOT).source == right
    assert added(repaired) == ["half = 1"]


def test_a_constant_of_a_locked_cell_keeps_its_value(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    settings = cell(notebook, "settings")
    settings.source = settings.source.replace("GRADING = ", "GRADING = False and ")
    repaired = repair(notebook, a1.release)
    assert added(repaired) == []
    assert cell(repaired.notebook, "settings").source == cell(a1.release, "settings").source


def test_what_a_locked_cell_defines_is_not_defined_anew(course: Course) -> None:
    release = course.assignment("a1_attention_blocks").release
    locked = next(c for c in release.cells if "def draw_heads" in c.source)
    notebook = copy.deepcopy(release)
    spoilt = next(c for c in notebook.cells if c.id == locked.id)
    spoilt.source = spoilt.source.replace("def draw_heads():", "def draw_heads():\n    return 1")
    repaired = repair(notebook, release)
    assert added(repaired) == []
    assert next(c for c in repaired.notebook.cells if c.id == locked.id).source == locked.source


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


@pytest.mark.parametrize(
    ("kind", "text", "counts"),
    [
        ("markdown", "The heads look at commas.", True),
        ("raw", "The heads look at commas.", True),
        ("code", "The heads look at commas.", True),
        ("code", "# The heads look at commas.", True),
        ("code", "'''The heads look at commas.'''", True),
        ("code", "heads = 4", False),
        ("code", "'''The heads look at commas.'''\nprint(1)", False),
        ("markdown", "YOUR ANSWER HERE", False),
        ("markdown", " ", False),
    ],
)
def test_where_a_text_stands_that_may_be_the_written_answer_is_told(
    course: Course, kind: str, text: str, counts: bool
) -> None:
    release = course.assignment("a4_text_classification").release
    notebook = copy.deepcopy(release)
    notebook.cells.append(getattr(nbformat.v4, f"new_{kind}_cell")(text))
    told = (
        "solution cell attention_reading holds no answer: look whether the student's own text "
        f"behind cell {release.cells[-1].id} is one"
    )
    repaired = repair(notebook, release)
    assert repaired.flags == [told] * counts
    assert "attention_reading" in repaired.unanswered
    cell(notebook, "attention_reading").source = "At nothing."
    assert repair(notebook, release).flags == []


def test_of_many_texts_elsewhere_the_first_places_are_told(course: Course) -> None:
    release = course.assignment("a4_text_classification").release
    notebook = copy.deepcopy(release)
    for at in range(6, -1, -1):
        notebook.cells.insert(at, nbformat.v4.new_markdown_cell(f"Note {at}."))
    first, second = (each.id for each in release.cells[:2])
    [flag] = repair(notebook, release).flags
    places = f"the beginning and cell {first} and cell {second} and 4 more"
    assert f"own text behind {places} is one" in flag


def test_a_cell_elsewhere_stays_there_whatever_it_defines(a1: Assignment, submit: Submit) -> None:
    notebook = submit()
    own = nbformat.v4.new_code_cell(cell(notebook, "self_attention").source)
    notebook.cells.remove(cell(notebook, "self_attention"))
    notebook.cells.append(own)
    repaired = repair(notebook, a1.release)
    assert repaired.flags == ["solution cell self_attention was missing"]
    assert repaired.notebook.cells[-1].source == own.source
    assert repaired.unanswered == {"self_attention"}


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
        ("print(2); from os import *", "from os import *"),
        ("try:\n    import os\nexcept ImportError:\n    import sys", None),
        ("import numpy as np\nx = (", "import numpy as np"),
        ("!pip list\nimport numpy as np", "import numpy as np"),
        ("def helper(x):\n    return 2 * x", None),
        ("F = nn.functional", None),
        ("EPS: float = 0.0", None),
        ("low, high = (0, 1)", None),
        ("if GRADING:\n    device = 'cpu'\nelse:\n    device = 'cuda'", None),
        ("try:\n    import xformers\n    FAST = True\nexcept ImportError:\n    FAST = False", None),
        ("nn.mine = x = 1; y = 2", "y = 2"),
        ("math, y = (1, 2)", ""),
        ("if GRADING:\n    BLUE = 'red'", ""),
        ("for sample_y in range(3):\n    y = 2", ""),
    ],
)
def test_what_is_imported_or_defined_in_a_locked_cell_stands_behind_it(
    a1: Assignment, submit: Submit, own: str, kept: str | None
) -> None:
    kept = own if kept is None else kept
    notebook = submit()
    imports = cell(notebook, "imports")
    imports.source = f"{own}\n{imports.source}\nprint(1)"
    repaired = repair(notebook, a1.release)
    assert added(repaired) == ([kept] if kept else [])
    assert cell(repaired.notebook, "imports").source == cell(a1.release, "imports").source
    assert repaired.flags == ["locked cell imports was edited"]
