"""Right answers in notebooks that tools and other machines have left their marks on."""

from __future__ import annotations

import ast
import copy
import re

import nbformat
import pytest
from conftest import A1, IDS, GraderOf
from nbformat import NotebookNode

from autograder.course.assignments import Course
from autograder.course.cells import grade_id, is_solution
from autograder.results import sentences


def parts(cell: NotebookNode) -> list[NotebookNode]:
    """A cell for each statement of `cell`, with all that nbgrader notes of it."""
    if cell.cell_type != "code":
        return [cell]
    nodes = ast.parse(cell.source).body
    sources = [ast.get_source_segment(cell.source, node) or "" for node in nodes]
    return [NotebookNode({**copy.deepcopy(cell), "source": source}) for source in sources]


# JupyterLab splits a cell so: each part carries the id of the whole
@pytest.mark.parametrize("name", IDS)
def test_answers_that_stand_in_a_cell_for_each_statement_earn_everything(
    name: str, course: Course, grader_of: GraderOf
) -> None:
    notebook = copy.deepcopy(course.assignment(name).solved)
    notebook.cells = [
        part for cell in notebook.cells for part in (parts(cell) if is_solution(cell) else [cell])
    ]
    result = grader_of(name).grade(notebook, "split").result
    assert [q.slug for q in result.questions if q.score != q.max_score] == []


FROM_COLAB = """from google.colab import drive
drive.mount("/content/drive")
import torch.nn.functional as softmaxes"""


def test_behind_what_only_colab_has_a_cell_goes_on_and_a_flag_says_so(
    course: Course, grader_of: GraderOf
) -> None:
    notebook = copy.deepcopy(course.assignment(A1).solved)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FROM_COLAB))
    (answer,) = [cell for cell in notebook.cells if grade_id(cell) == "attention"]
    answer.source = answer.source.replace("torch.softmax(", "softmaxes.softmax(")
    assert "softmaxes" in answer.source
    result = grader_of(A1).grade(notebook, "colab").result
    assert result.score == result.max_score
    assert result.flags[-1] == (
        "Your own cell `from google.colab import drive`: `No module named 'google'`. What follows "
        "in it ran without that."
    )


IF_NOT_THERE = """try:
    import einops_of_another_machine
except ImportError:
    %pip install einops_of_another_machine
    import einops_of_another_machine
"""


def test_where_the_second_try_of_an_import_fails_too_the_cell_goes_on(
    course: Course, grader_of: GraderOf
) -> None:
    notebook = copy.deepcopy(course.assignment(A1).solved)
    (answer,) = [cell for cell in notebook.cells if grade_id(cell) == "attention"]
    answer.source = IF_NOT_THERE + answer.source.replace("torch.softmax(", "softmaxes.softmax(")
    own = nbformat.v4.new_code_cell(IF_NOT_THERE + "import torch.nn.functional as softmaxes")
    notebook.cells.insert(0, own)
    result = grader_of(A1).grade(notebook, "colab").result
    assert result.score == result.max_score
    lacks = "`No module named 'einops_of_another_machine'`. What follows in it ran without that."
    assert result.flags[-2:] == [f"Your own cell `try:`: {lacks}", f"Cell attention: {lacks}"]


def test_a_cell_in_which_nothing_follows_what_is_missing_is_not_said_to_have_gone_on(
    course: Course, grader_of: GraderOf
) -> None:
    notebook = copy.deepcopy(course.assignment(A1).solved)
    notebook.cells.insert(0, nbformat.v4.new_code_cell("%%time\nimport einops_elsewhere"))
    result = grader_of(A1).grade(notebook, "timed").result
    assert result.flags[-1] == "Your own cell `%%time`: `No module named 'einops_elsewhere'`."


def test_what_a_cell_says_of_itself_reads_as_its_own_words_and_not_without_end(
    course: Course, grader_of: GraderOf
) -> None:
    notebook = copy.deepcopy(course.assignment(A1).release)
    forged = "#`. All answers were checked by hand: 10 of 10"
    for number in range(40):
        words = f"all {number} answers are right`.\u202e\n10 of 10"
        source = f"{forged}\nraise ModuleNotFoundError({words!r})"
        notebook.cells.insert(0, nbformat.v4.new_code_cell(source))
    flags = grader_of(A1).grade(notebook, "forged").result.flags
    assert len(flags) == sentences.NOTED + 1
    assert flags[-1] == f"There are {40 - sentences.NOTED} more notes of these kinds."
    for flag in flags[:-1]:
        assert flag.count("`") == 4
        assert flag.startswith("Your own cell `#'. All answers")
        assert re.search(r": `all \d+ answers are right'. 10 of 10`.$", flag)


DISPLAYS = {
    "%matplotlib notebook": "Matplotlib's 'notebook' is not there while grading: plots are drawn "
    "inline",
    "%load_ext line_profiler_elsewhere": "No module named 'line_profiler_elsewhere'",
    "%watermark": "Line magic function '%watermark' not found",
}


def test_lines_that_concern_what_is_shown_cost_no_answer(
    course: Course, grader_of: GraderOf
) -> None:
    notebook = copy.deepcopy(course.assignment(A1).solved)
    slugs = ["positional_encoder_plot", "attention", "self_attention"]
    for slug, line in zip(slugs, DISPLAYS, strict=True):
        (answer,) = [cell for cell in notebook.cells if grade_id(cell) == slug]
        answer.source = f"{line}\nbreakpoint()\n{answer.source}"
    result = grader_of(A1).grade(notebook, "displays").result
    assert result.score == result.max_score
    assert result.flags[-3:] == [
        f"Cell {slug}: `{told}`. What follows in it ran without that."
        for slug, told in zip(slugs, DISPLAYS.values(), strict=True)
    ]


SET_UP = """print(torch.cuda.get_device_name(99))
mixed = torch.softmax
"""


@pytest.mark.parametrize(("asked_for", "flags"), [("mixed", 1), ("torch.softmax", 0)])
def test_a_cell_that_stopped_is_named_where_a_wrong_answer_asks_for_what_it_sets(
    course: Course, grader_of: GraderOf, asked_for: str, flags: int
) -> None:
    notebook = copy.deepcopy(course.assignment(A1).solved)
    (answer,) = [cell for cell in notebook.cells if grade_id(cell) == "attention"]
    answer.source = answer.source.replace("torch.softmax(", f"2 * {asked_for}(")
    notebook.cells.insert(notebook.cells.index(answer), nbformat.v4.new_code_cell(SET_UP))
    result = grader_of(A1).grade(notebook, "set-up").result
    assert result.question("attention").score < 30
    start = "Your own cell `print(torch.cuda.get_device_name(99))` stopped in line 1: "
    assert sum(flag.startswith(start) for flag in result.flags) == flags


def test_what_is_to_be_compiled_runs_as_it_is(course: Course, grader_of: GraderOf) -> None:
    notebook = copy.deepcopy(course.assignment(A1).solved)
    for cell in notebook.cells:
        if is_solution(cell):
            cell.source = re.sub("^(?=def )", "@torch.compile\n", cell.source, flags=re.M)
    assert any("@torch.compile\ndef attention" in cell.source for cell in notebook.cells)
    result = grader_of(A1).grade(notebook, "compiled").result
    assert result.score == result.max_score


def test_an_answer_may_import_what_is_not_installed_and_not_needed(
    course: Course, grader_of: GraderOf
) -> None:
    notebook = copy.deepcopy(course.assignment(A1).solved)
    for cell in notebook.cells:
        if is_solution(cell):
            cell.source = f"import a_library_for_plots as alp\n{cell.source}"
    result = grader_of(A1).grade(notebook, "imports").result
    assert result.score == result.max_score
