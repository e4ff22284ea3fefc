"""What a right answer's cell shows costs it nothing, however odd or large it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mini import answer, mini_assignment

from autograder.course.limits import MIB, Limits
from autograder.grading.grader import Grader

RIGHT = "def double(x):\n    return 2 * x\n"
SHOW = "from IPython.display import HTML, JSON, display, publish_display_data\n"

CELLS = {
    "a-figure-of-450000-numbers": (
        "publish_display_data({'application/vnd.plotly.v1+json': {'z': list(range(450_000))},"
        " 'text/plain': 'a figure'})",
        "a figure",
    ),
    "a-figure-and-no-text": (
        "publish_display_data({'application/vnd.plotly.v1+json': {'z': list(range(450_000))}})",
        "not kept: application/vnd.plotly.v1+json",
    ),
    "json-of-90-levels": (
        "deep = {}\nfor _ in range(90):\n    deep = {'a': deep}\ndisplay(JSON(deep))",
        "JSON object",
    ),
    "json-of-90000-levels": (
        "deep = []\nfor _ in range(90_000):\n    deep = [deep]\n"
        "publish_display_data({'application/json': deep, 'text/plain': 'deep'})",
        "deep",
    ),
    "html-of-5-million-bytes": ("display(HTML('<p>' * 1_700_000)); print('after')", "after"),
    "50000-displays": ("for _ in range(50_000):\n    display(1)", "1"),
    "5000-updates": (
        "shown = display('start', display_id=True)\nfor n in range(5_000):\n    shown.update(n)",
        "4999",
    ),
    "text-in-lines": ("display({'text/plain': ['one ', 'two']}, raw=True)", "one two"),
    "bytes-as-text": ("display({'text/html': b'x', 'text/plain': 'y'}, raw=True)", "y"),
    "numbers-that-json-lacks": (
        "publish_display_data({'application/json': {'x': float('nan')}, 'text/plain': 'nan'},"
        " {'text/plain': {'x': float('inf')}, 'other': {'y': 1 << 5000}})",
        "nan",
    ),
    "lone-surrogates": ("print('\\ud800'); display('\\udfff'); print('after')", "after"),
    "one-line-of-5-million-characters": ("print('x' * 5_000_000)", "xxx"),
    "a-traceback-of-500000-lines": (
        "class Long(Exception):\n    def _render_traceback_(self):\n        return [''] * 500_000\n"
        "try:\n    raise Long\nexcept Long:\n    get_ipython().showtraceback()",
        "lines not kept",
    ),
    "an-error-of-5-million-characters": (
        "try:\n    raise ValueError('x' * 5_000_000)\nexcept ValueError:\n"
        "    get_ipython().showtraceback()\nprint('after')",
        "after",
    ),
    "a-deep-repr": (
        "deep = []\nfor _ in range(500):\n    deep = [deep]\ndisplay(deep)",
        "RecursionError",  # as in a kernel
    ),
    "many-colours": ("print('\\x1b[31mx\\x1b[0m' * 300_000)", "x"),
    "metadata-of-a-million-bytes": (
        "publish_display_data({'text/plain': 'small'}, {'text/plain': {'a': 'x' * 5_000_000}})",
        "small",
    ),
}


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    assignment = mini_assignment(tmp_path_factory.mktemp("course"))
    with Grader(assignment, Limits(memory_bytes=2048 * MIB)) as made:
        yield made


@pytest.mark.parametrize("name", CELLS)
def test_a_right_answer_keeps_its_points_whatever_its_cell_shows(grader: Grader, name: str) -> None:
    source, shown = CELLS[name]
    graded = grader.grade(answer(grader.assignment, double=RIGHT + SHOW + source), "x")
    question = graded.result.question("double")
    assert (question.status, question.score) == ("ok", question.max_score)
    assert graded.result.question("triple").status == "ok"
    outputs = [output for cell in graded.notebook.cells for output in cell.get("outputs", [])]
    assert shown in str(outputs)
    assert len(outputs) <= 1100
