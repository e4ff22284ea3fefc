"""Expected tensors: recording them, and noticing that they went stale."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from mini import answer, mini_assignment, write_source
from mini_course import MINI, make_course

from autograder.authoring.expected import differences, record, write_expected
from autograder.checking.expected import Recorder
from autograder.cli import main
from autograder.course.assignments import Assignment, Course
from autograder.course.limits import Limits
from autograder.course.settings import Settings
from autograder.errors import Ungraded, UsageError
from autograder.grading.grader import Grader
from autograder.grading.readiness import guard_against_drift

SETTINGS = Settings(Limits(), trust_notebooks=False)

WITH_EXPECTED = '''
from typing import Any

import torch

from autograder.checking.asking import Student
from autograder.checking.marks import points
from autograder.checking.probing import probe
from autograder.checking.expected import Expected


@probe
def run(answers: Any, x: torch.Tensor) -> dict[str, Any]:
    return {"y": answers.double(x)}


@points(5)
def check_values(student: Student, expected: Expected) -> None:
    """The values are right."""
    expected.match("three", student.run(run, x=torch.arange(3.0)))
'''

OF_BOOLEANS = """
from autograder.checking import Battery, Domain

domain = Domain("double", {{"m": 4}}, {{"x": "m"}}, {{"rises": ""}}, differentiable=False{domain})
battery = Battery(domain, {battery})
"""

CASES_OF_ONE_NAME = """
from autograder.checking import Battery, Domain, points, probe

domain = Domain("double", {"m": 4}, {"x": "m"}, {"y": "m"}, differentiable=False)
battery = Battery(domain, values=3)


@probe
def run(answers, x):
    return {"doubled": answers.double(x)}


@points(2)
def check_own(student, expected):
    \"\"\"The values are right.\"\"\"
    import torch

    expected.match("CASE", student.run(run, x=torch.arange(3.0)))
"""


def test_an_authors_mistake_in_a_check_is_told_with_its_place(mini: Assignment) -> None:
    path = mini.check_file("double")
    path.write_text(path.read_text().replace('{"y": answers', '{"n": 1, "y": answers'))
    with Grader(mini) as grader, pytest.raises(Ungraded) as told:
        record(grader)
    assert str(told.value).startswith(
        "the check check_values of double is broken: `expected.match` compares tensors alone, and "
        "`n` is of type int"
    )
    assert "(check_double.py, line 20)" in str(told.value)


@pytest.fixture
def mini(tmp_path: Path) -> Assignment:
    assignment = mini_assignment(tmp_path)
    assignment.check_file("double").write_text(WITH_EXPECTED)
    write_source(assignment)
    return assignment


@pytest.fixture
def mini_course(mini: Assignment) -> Course:
    return Course(mini.release_path.parents[2])


def test_what_is_recorded_is_current_and_a_change_is_noticed(
    mini: Assignment, mini_course: Course
) -> None:
    with Grader(mini) as grader:
        recorders = record(grader)
        assert differences(mini, recorders) == ["double has no expected tensors"]
        assert [p.name for p in write_expected(mini, recorders)] == ["double.safetensors"]
        assert write_expected(mini, recorders) == []
        assert differences(mini, record(grader)) == []
        source = mini.source_path
        source.write_text(source.read_text().replace("2 * x", "2.1 * x"))
        changed = record(grader)
    assert len(differences(mini, changed)) == 1
    assert "of its values are wrong" in differences(mini, changed)[0]
    assert [p.name for p in write_expected(mini, {})] == ["double.safetensors"]


def test_kinds_of_a_question_that_is_gone_go_too(mini: Assignment) -> None:
    kept, gone = mini.kinds_file("double"), mini.kinds_file("dubble")
    kept.parent.mkdir(exist_ok=True)
    for path in (kept, gone):
        path.touch()
    assert write_expected(mini, {}) == [gone]
    assert kept.is_file()
    assert not gone.exists()


INFINITE = """
from autograder.checking import Battery, Domain

domain = Domain("double", {"m": 4}, {"x": "m"}, {"y": "m"}, differentiable=False)
battery = Battery(domain, values=5)
"""


def test_a_solution_that_fails_its_own_checks_makes_nothing(
    mini: Assignment, mini_course: Course
) -> None:
    source = mini.source_path
    source.write_text(source.read_text().replace("3 * x", "4 * x"))
    with Grader(mini) as grader, pytest.raises(UsageError, match="fails its own checks"):
        record(grader)


def test_a_solution_that_fails_what_students_see_makes_nothing(mini: Assignment) -> None:
    path = mini.release_path
    path.write_text(
        path.read_text().replace("print(triple(torch.ones(1)))", "assert triple(1) == 4")
    )
    said = re.escape(f"the solution of {mini.id} fails what students see: the cell check_triple")
    with Grader(mini) as grader, pytest.raises(UsageError, match=said):
        record(grader)


def test_a_wrong_solution_that_breaks_a_check_is_told_by_what_students_see(
    tmp_path: Path,
) -> None:
    mini = mini_assignment(tmp_path)
    mini.check_file("double").write_text(INFINITE)
    write_source(mini, double="def double(x):\n    return x * float('inf')")
    path = mini.release_path
    seen = path.read_text().replace("print(double(torch.ones(1)))", "assert double(1) == 2")
    path.write_text(seen)
    assert "assert double(1) == 2" in seen
    with Grader(mini) as grader, pytest.raises(UsageError, match="fails what students see"):
        record(grader)


@pytest.mark.parametrize("gives", ["x * math.inf", "x * math.nan"])
def test_what_no_answer_can_be_compared_with_is_no_expected_tensor(
    gives: str, tmp_path: Path
) -> None:
    mini = mini_assignment(tmp_path)
    mini.check_file("double").write_text(INFINITE)
    write_source(mini, double=f"def double(x):\n    import math\n\n    return {gives}")
    said = re.escape("infinite numbers, or NaN, for `example.y`")
    with Grader(mini) as grader, pytest.raises(Ungraded, match=said):
        record(grader)


@pytest.mark.parametrize("case", ["example", "other"])
def test_two_checks_that_store_other_tensors_for_one_case_are_refused(
    case: str, tmp_path: Path
) -> None:
    mini = mini_assignment(tmp_path)
    mini.check_file("double").write_text(CASES_OF_ONE_NAME.replace("CASE", case))
    write_source(mini, double="def double(x):\n    return x * 2")
    with Grader(mini) as grader:
        if case == "other":  # no case of the battery's
            assert record(grader)["double"].stored("other.doubled") is not None
            return
        said = re.escape("other checks store `example.y` for the case `example`")
        with pytest.raises(UsageError, match=said):
            record(grader)


def test_a_file_of_misconceptions_that_cannot_be_read_is_told_before_anything_is_graded(
    mini: Assignment, mini_course: Course
) -> None:
    with Grader(mini) as grader:
        write_expected(mini, record(grader))
        mini.misconceptions_file("double").parent.mkdir(exist_ok=True)
        mini.misconceptions_file("double").write_text("MISCONCEPTIONS = [")
        with pytest.raises(Ungraded, match=re.escape("double.py")):
            guard_against_drift(mini_course, grader, SETTINGS)


def test_a_check_that_students_see_asked_for_makes_nothing(mini: Assignment) -> None:
    path = mini.release_path
    path.write_text(
        path.read_text().replace("print(triple(torch.ones(1)))", "x = 1\\ncheck('triple')")
    )
    with Grader(mini) as grader, pytest.raises(UsageError, match="in the cell check_triple of"):
        record(grader)


@pytest.mark.parametrize(
    ("battery", "domain", "said"),
    [
        ("everywhere=3, values=2", "", "No check of double is of values: mark one with `@values`"),
        ("everywhere=3, values=2", ", plain=True", ""),
        ("everywhere=3, values=2", ", plain=True, only=('other',)", "is one number in all cases"),
        ("values=5", ", plain=True", "nothing shows that `plain` results are right"),
    ],
)
def test_a_battery_of_booleans_counts_where_its_author_says_so_and_no_constant_passes(
    battery: str, domain: str, said: str, tmp_path: Path
) -> None:
    mini = mini_assignment(tmp_path)
    checks = OF_BOOLEANS.format(battery=battery, domain=domain)
    mini.check_file("double").write_text(checks)
    write_source(mini, double="def double(x):\n    return (x[1:] >= x[:-1]).all()")
    with Grader(mini) as grader:
        if said:
            with pytest.raises((UsageError, Ungraded), match=re.escape(said)):
                record(grader)
        else:
            assert record(grader)


def test_drift_is_remembered_only_while_nothing_changes(
    mini: Assignment, mini_course: Course
) -> None:
    with Grader(mini) as grader:
        write_expected(mini, record(grader))
        guard_against_drift(mini_course, grader, SETTINGS)
        remembered = list((mini_course.root / ".cache" / "drift").iterdir())
        assert len(remembered) == 1
        guard_against_drift(mini_course, grader, SETTINGS)
        stricter = replace(SETTINGS, limits=Limits(cell_seconds=1))
        guard_against_drift(mini_course, grader, stricter)
        assert len(list((mini_course.root / ".cache" / "drift").iterdir())) == 2
        mini.expected_file("double").write_bytes(Recorder({"three.y": torch.zeros(3)}).as_bytes())
    with Grader(mini) as fresh, pytest.raises(Ungraded, match="do not fit the instructor's"):
        guard_against_drift(mini_course, fresh, SETTINGS)


def test_a_check_that_the_solution_fails_by_itself_is_no_matter_of_tensors(
    mini: Assignment, mini_course: Course
) -> None:
    with Grader(mini) as grader:
        write_expected(mini, record(grader))
    path = mini.check_file("triple")
    path.write_text(path.read_text().replace("3 * x", "300 * x"))
    with Grader(mini) as fresh, pytest.raises(Ungraded) as told:
        guard_against_drift(mini_course, fresh, SETTINGS)
    first, then = str(told.value).split("\n")[:2]
    assert "solution of mini fails its own checks under Python" in first
    assert first.endswith("whatever tensors are expected: mend the check or the solution:")
    assert then.startswith("triple: wrong, 0 of 5 points")


def test_a_package_that_is_missing_is_named_first(tmp_path: Path) -> None:
    mini = mini_assignment(tmp_path)
    mini.release_path.write_text(
        mini.release_path.read_text().replace("import torch", "import absent, torch")
    )
    write_source(mini, double="def double(x):\n    return torch.mul(x, 2)")
    with Grader(mini) as grader, pytest.raises(Ungraded) as told:
        guard_against_drift(Course(tmp_path), grader, SETTINGS)
    _, first, then = str(told.value).split("\n")[:3]
    assert first == "cell imports raised ModuleNotFoundError: No module named 'absent'"
    assert then == "double: error, 0 of 5 points"


def test_an_edited_check_is_read_anew_by_the_next_grader(mini: Assignment) -> None:
    for factor, earned in ((3, 5.0), (300, 0.0)):
        path = mini.check_file("triple")
        path.write_text(path.read_text().replace("3 * x", f"{factor} * x"))
        mini.check_file("double").write_text(WITH_EXPECTED.replace("expected.match", "0 and print"))
        with Grader(mini) as grader:
            result = grader.grade(answer(mini), "x").result
        assert result.question("triple").score == earned


def test_what_is_sound_is_stored_whatever_is_wrong_with_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_course(tmp_path / "course")
    misconceptions = folder / "checks" / MINI / "misconceptions"
    misconceptions.mkdir()
    (misconceptions / "triple.py").write_text(
        "from autograder.checking import Misconception\n\nMISCONCEPTIONS = [\n"
        '    Misconception("none", "There is no such line.", {"7 * x": "2 * x"}),\n'
        '    Misconception("magnitude", "You lost the sign.", {"3 * x": "3 * x.abs()"}),\n]\n'
    )
    monkeypatch.chdir(folder)
    assert main(["expected", MINI]) != 0
    said = capsys.readouterr()
    assert "wrote checks/mini/misconceptions/triple.safetensors" in said.out
    assert "mini: triple: misconception none: the solution holds 0 times" in said.err
