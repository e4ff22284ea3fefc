"""What a question rests on is told from names, through locked cells too."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import A1
from mini import answer, mini_assignment
from spent import processor_seconds

from autograder import helper
from autograder.course.assignments import Assignment, Course
from autograder.errors import NotDone
from autograder.grading.demands import Demands
from autograder.grading.dependencies import Dependencies
from autograder.grading.names import (
    Names,
    Readings,
    Statement,
    _statements,
    definitions,
    names_of,
    statements_of,
)


def of(assignment: Assignment, between: str = "", **solutions: str) -> Dependencies:
    solved = answer(assignment, **solutions)
    place = next(n for n, cell in enumerate(solved.cells) if cell.id == "triple")
    if between:
        solved.cells.insert(place, nbformat.v4.new_code_cell(between, id="between"))
    return Dependencies(assignment, solved)


def test_a_name_that_the_solution_uses_ties_two_questions(tmp_path: Path) -> None:
    mini = mini_assignment(tmp_path)
    assert of(mini).earlier_questions("triple") == []
    rests = of(mini, triple="def triple(x):\n    return double(x) + x")
    assert rests.earlier_questions("triple") == ["double"]
    assert rests.earlier_questions("double") == []


def test_a_locked_cell_between_them_passes_the_tie_on(tmp_path: Path) -> None:
    mini = mini_assignment(tmp_path)
    twice = "def twice(x):\n    return double(double(x))"
    tied = of(mini, between=twice, triple="def triple(x):\n    return twice(x) - x")
    assert tied.earlier_questions("triple") == ["double"]
    assert [c.id for c in tied.cells("triple")] == ["imports", "double", "between", "triple"]
    loose = of(mini, between=twice)
    assert [c.id for c in loose.cells("triple")] == ["imports", "triple"]


def test_what_only_the_check_asks_for_ties_too(tmp_path: Path) -> None:
    mini = mini_assignment(tmp_path)
    path = mini.check_file("triple")
    path.write_text(path.read_text().replace("answers.triple(x)", "answers.double(x)"))
    assert of(mini).earlier_questions("triple") == ["double"]


ASKING = """
from .deeper import ask as asked, nothing

def unused(answers):
    return answers.unasked_for

PLACES = {"x": [asked]}

def probe(answers, x):
    nothing()
    return PLACES["x"][0](answers, x)
"""
DEEPER = """
def ask(answers, x):
    return answers.double(x)

def nothing():
    return ask.__name__

def also_unused(answers):
    return answers.unasked_for
"""


def test_what_probes_in_files_beside_the_check_ask_for_ties_too(tmp_path: Path) -> None:
    mini = mini_assignment(tmp_path)
    mini.check_file("triple").write_text("from .asking import probe\n\ncheck = probe\n")
    (mini.checks / "asking.py").write_text(ASKING)
    (mini.checks / "deeper.py").write_text(DEEPER)
    assert Demands(mini).of("triple") == {"double"}
    assert of(mini).earlier_questions("triple") == ["double"]


def test_variables_of_comprehensions_and_functions_tie_nothing(tmp_path: Path) -> None:
    mini = mini_assignment(tmp_path)
    double = "def double(x):\n    y = [n for n in x]\n    return 2 * x\nall_of = [m for m in 'ab']"
    triple = "def triple(x):\n    return 3 * x, y, n, m"
    assert of(mini, double=double, triple=triple).earlier_questions("triple") == []


@pytest.mark.parametrize("change", ["factor.by = 2", "factor['by'] = 2", "factor.parts[0] += 1"])
def test_who_asks_for_a_name_asks_for_what_was_set_of_it(tmp_path: Path, change: str) -> None:
    mini = mini_assignment(tmp_path)
    uses = "def triple(x):\n    return factor.by * x"
    changed = of(mini, double="factor = object()", between=change, triple=uses)
    assert [c.id for c in changed.cells("triple")] == ["imports", "double", "between", "triple"]


def test_magics_are_no_obstacle(tmp_path: Path) -> None:
    mini = mini_assignment(tmp_path)
    tied = of(mini, triple="%time\n!ls\ndef triple(x):\n    return double(x) + x")
    assert tied.earlier_questions("triple") == ["double"]


@pytest.mark.parametrize(
    "source",
    [
        "def triple(x):\n    return (x\n    % 5\n    + double(x))",
        "!pip install x\ny = !ls\n%matplotlib inline\nz = 3 if False else double(y)",
        "%%time\nfor x in [1]:\n    %time triple = double(x)",
    ],
)
def test_lines_that_look_like_magics_are_read_as_what_they_are(tmp_path: Path, source: str) -> None:
    tied = of(mini_assignment(tmp_path), triple=source)
    assert tied.earlier_questions("triple") == ["double"]


def test_another_answer_rests_on_what_it_uses_itself(tmp_path: Path) -> None:
    plain = of(mini_assignment(tmp_path))
    other = plain.answered("triple", "def triple(x):\n    return double(x) + x")
    assert [c.id for c in other.cells("triple")] == ["imports", "double", "triple"]
    assert [c.id for c in plain.cells("triple")] == ["imports", "triple"]
    assert other.source("triple") != plain.source("triple")


def test_the_attention_blocks_rest_on_attention(course: Course) -> None:
    assignment = course.assignment(A1)
    found = Dependencies(assignment, assignment.solved)
    assert found.earlier_questions("positional_encoder_plot") == ["positional_encoder"]
    assert found.earlier_questions("self_attention") == ["attention"]
    assert found.earlier_questions("multi_headed_attention") == []
    assert found.earlier_questions("masked_attention") == []


def test_the_checks_are_read_once_for_all_answers_to_a_question_and_all_notebooks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = mini_assignment(tmp_path)
    all_cells = Dependencies(assignment, assignment.release)
    read: list[Path] = []
    read_text = Path.read_text

    def noted(self: Path, *how: str, **more: str) -> str:
        read.append(self)
        return read_text(self, *how, **more)

    monkeypatch.setattr(Path, "read_text", noted)
    for number in range(3):
        all_cells.answered("triple", f"def triple(x):\n    return {number} * x").cells("triple")
        all_cells.of(assignment.release).cells("triple")
    assert read == [assignment.check_file("triple")]


def nested(depth: int) -> str:
    """A function whose compiled code doubles with each level."""
    lines = [line for n in range(depth) for line in ("\t" * n + "try: f()", "\t" * n + "finally:")]
    return "\n".join([*lines, "\t" * depth + "g()"])


MANY_EXITS = (
    "def f():\n while 1:\n  try:\n"
    + "   if f(): return\n" * 3000
    + "  finally:\n"
    + "   g()\n" * 3000
)


@pytest.mark.parametrize("source", [nested(40), MANY_EXITS], ids=["nested", "many exits"])
def test_code_that_compiles_to_far_more_than_it_is_is_not_compiled(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it was compiled")

    monkeypatch.setattr("builtins.compile", refuse)
    monkeypatch.setattr("autograder.grading.names.parsed", lambda _: tree)
    tree = TREES[source]
    assert Names.of(source) == Names()


TREES = {source: ast.parse(source) for source in (nested(40), MANY_EXITS)}


def test_what_is_closed_in_the_end_is_read_as_it_is() -> None:
    source = "try:\n    x = load()\nfinally:\n    close()"
    assert Names.of(source) == Names({"x"}, {"load", "close"})
    assert Names.of(nested(3)).used == {"f", "g"}
    assert names_of([source, "y = x"]) == [Names({"x"}, {"load", "close"}), Names({"y"}, {"x"})]


def test_a_cell_that_cannot_be_read_in_time_costs_names_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def late(*_: object, **__: object) -> None:
        raise NotDone("it took longer than 5 s")

    monkeypatch.setattr("autograder.helper.run", late)
    assert names_of(["x = 1", "y = x"]) == [Names(), Names()]


class Searched(set[str]):
    """Names, of which it is counted how often one is looked for."""

    looks = 0

    def __contains__(self, name: object) -> bool:
        Searched.looks += 1
        return super().__contains__(name)


def test_no_cell_is_searched_for_each_name_that_another_one_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini = mini_assignment(tmp_path)
    many = {f"n{number}" for number in range(2000)}
    monkeypatch.setattr(
        "autograder.grading.dependencies.names_of",
        lambda sources: [Names(Searched({"n1"}), set(many)) for _ in sources],
    )
    solved = answer(mini)
    solved.cells[1:1] = [nbformat.v4.new_code_cell("0") for _ in range(500)]
    tied = Dependencies(mini, solved)
    tied.earlier_questions("triple")
    assert tied.questions_under(solved.cells[-1]) == {"double", "triple"}
    assert Searched.looks < 100


def replacing(cells: int, mini: Assignment) -> float:
    """Seconds of the processor in which an answer replaces those that so many cells define."""
    solved = answer(mini, triple="def triple(x):\n    return double(x) + x")
    place = next(n for n, cell in enumerate(solved.cells) if cell.id == "triple")
    names = " = ".join(f"name_{{0}}_{n}" for n in range(30))
    own = [nbformat.v4.new_code_cell(f"double = {names.format(n)} = 0") for n in range(cells)]
    solved.cells[place:place] = own
    student = Dependencies(mini, solved)
    assert student.earlier_questions("triple") == []
    right = "def double(x):\n    return 2 * x"
    return processor_seconds(lambda: student.answered("double", right, stays=True))


def test_many_cells_that_define_the_same_take_time_by_their_number(tmp_path: Path) -> None:
    mini = mini_assignment(tmp_path)
    few = min(replacing(200, mini) for _ in range(3))
    many = min(replacing(1600, mini) for _ in range(2))
    assert many < 24 * few  # eight times as many; the square of it were 64 times as much


def chained(length: int) -> float:
    """Seconds of the processor to find what a name rests on that many others lead to."""
    lines = ["h0 = 1", *(f"h{n + 1} = h{n}" for n in range(length))]
    source = "\n".join(lines)
    names = [f"h{n}" for n in range(length + 1)]

    def find() -> None:
        read = Names.of(source)
        assert read.defined == {*names}
        statements = [Statement(text, Names({*ds}, {*us})) for text, ds, us in _statements(source)]
        assert definitions(statements, [names[-1]], names) == source

    return processor_seconds(find)


def test_what_a_name_rests_on_takes_time_by_the_number_of_steps_there(tmp_path: Path) -> None:
    few = min(chained(500) for _ in range(3))
    many = min(chained(4000) for _ in range(2))
    assert many < 24 * few  # eight times as many; the square of it were 64 times as much


def test_what_defines_only_other_names_is_left_out() -> None:
    statements = statements_of("a = 1\nb = c = a\nd = b\nprint(d)\ne = d")
    assert definitions(statements, ["d"], ["a", "b", "c", "d"]) == "a = 1\nb = c = a\nd = b"
    assert definitions(statements, ["d"], ["b", "d"]) == "d = b"
    assert definitions(statements, ["x"], ["a"]) == ""


def test_each_cell_is_read_once_for_all_answers_that_stand_in_one_submission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def noted(*given: Any, **more: Any) -> Any:
        asked.append(given)
        return run(*given, **more)

    run = helper.run
    student = of(mini_assignment(tmp_path), "double = 1\none = 1\ntwo = one", triple="two")
    assert student.earlier_questions("triple") == []
    monkeypatch.setattr("autograder.helper.run", noted)
    right, readings = "def double(x):\n    return 2 * x", Readings()
    for _ in range(3):
        other = student.answered("double", right, stays=True, readings=readings)
        assert "one = 1\ntwo = one" in [cell.source for cell in other.cells("triple")]
    assert len(asked) == 3  # for the answer, the statements of a cell, and what is left of it
