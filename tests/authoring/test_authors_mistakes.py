"""Mistakes in check files are told to their author: what is wrong, where, and what to do."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest
from mini_course import MINI, edit, make_course

from autograder.authoring.equivalents import equivalents
from autograder.authoring.oversights import oversights
from autograder.cli import main
from autograder.course.assignments import Assignment, Course
from autograder.errors import BrokenCheck, UsageError

RAISES = 'int("the answer is 42")'
HIDDEN = "the check values of double is broken: ValueError (check_double.py, line 20)"
WORDS = "invalid literal for int() with base 10: 'the answer is 42'"

DOMAIN = """
from dataclasses import replace
from autograder.checking import Battery, Domain

domain = Domain("double", {"m": 4}, {"x": "m"}, {"y": "m"})
battery = Battery(domain, sizes=3)
"""


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_course(tmp_path / "course")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def checks(course: Path) -> Path:
    return course / "checks" / MINI / "check_double.py"


@pytest.fixture
def assignment(course: Path) -> Assignment:
    return Course(course).assignment(MINI)


@pytest.mark.usefixtures("own_zygotes")
def test_the_words_of_a_broken_check_are_for_its_author_alone(
    course: Path, checks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(checks, "x = torch.arange(3.0)", f"x = torch.arange(3.0)\n    {RAISES}")
    assert main(["expected", MINI]) == 2
    assert capsys.readouterr().err == f"autograder: {HIDDEN}: {WORDS}\n"
    assert main(["doctor"]) == 1
    assert f"BAD  {MINI}: {HIDDEN}: {WORDS}\n" in capsys.readouterr().out
    source = course / "source" / MINI / f"{MINI}.ipynb"
    for form in ("text", "github"):
        assert main(["grade", "--assignment", MINI, "--format", form, str(source)]) == 3
        said = capsys.readouterr()
        assert HIDDEN in said.out + said.err
        assert "42" not in said.out + said.err


def test_the_words_of_a_broken_check_come_back_from_another_process() -> None:
    found = pickle.loads(pickle.dumps(BrokenCheck("it is broken", words="by 42")))
    assert (str(found), found.in_full) == ("it is broken", "it is broken: by 42")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "check_values(student: Student)",
            "check_values(expect, student)",
            "the check check_values of double has the parameter `expect`: it is given `student` "
            "and `expected` alone",
        ),
        (
            "@probe\n",
            "",
            "the check check_values of double is broken: `run` is run beside the student's code, "
            "and is no probe: mark it with `@probe` (check_double.py, line 19)",
        ),
        (
            'student.run(run, x=x), "y", 2 * x',
            'student.run(run, y=x), "y", 2 * x',
            "the check check_values of double is broken: the probe `run` is run with inputs that "
            "it does not take: missing a required argument: 'x' (check_double.py, line 20)",
        ),
        (
            "@points(3)",
            DOMAIN.replace('"m": 4', '"m": -4') + "@points(3)",
            "the check file check_double.py cannot be imported: ValueError: the domain of `double` "
            "is wrong: the size `m` is -4: give a whole number from 0 (check_double.py, line 20)",
        ),
        (
            "@points(3)",
            DOMAIN.replace("sizes=3", "sizes=-3") + "@points(3)",
            "the check file check_double.py cannot be imported: ValueError: the aspect `sizes` is "
            "worth less than no points (check_double.py, line 21)",
        ),
        (
            "@points(3)\n",
            "",
            "the checks of double are worth 2 points, the release says 5; check_values has no "
            "`@points`",
        ),
        (
            "def check_values",
            "def test_values",
            "the checks of double are worth 2 points, the release says 5; the name of test_values "
            "does not begin with check_",
        ),
        (
            "@points(3)",
            DOMAIN.replace('"m": 4', '"n": 4') + "@points(3)",
            "the check file check_double.py cannot be imported: ValueError: the domain of `double` "
            "is wrong: `inputs` names the size `m`, and there are n (check_double.py, line 20)",
        ),
        (
            "@points(3)",
            DOMAIN.replace("sizes=3", "wrong=3") + "@points(3)",
            "the check file check_double.py cannot be imported: ValueError: unknown aspect wrong: "
            "a battery has values, bare, everywhere, sizes, extremes, gradients, modes, kind, "
            "way, parts, care (check_double.py, line 21)",
        ),
        (
            "@points(3)",
            f"{DOMAIN}other = Battery(domain, everywhere=1)\n@points(3)",
            "the check file check_double.py cannot be imported: ValueError: two batteries are of "
            "domains without `part`, and would compare with the same expected tensors: give the "
            "domain of one a `part` of its own",
        ),
    ],
)
@pytest.mark.usefixtures("course")
def test_a_mistake_in_a_check_file_is_told_with_its_place(
    old: str, new: str, said: str, checks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(checks, old, new)
    assert main(["expected", MINI]) == 2
    assert capsys.readouterr().err == f"autograder: {said}\n"


@pytest.mark.usefixtures("own_zygotes")
def test_what_depends_on_chance_is_not_stored_where_no_aspect_looks_at_that(
    course: Path, checks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = course / "source" / MINI / f"{MINI}.ipynb"
    edit(source, "return 2 * x", "return 2 * x + torch.rand_like(x)")
    said = "`double` returns something else when it is called once more with the same inputs"
    for declared, refused in (("", True), (", random=True", False)):
        domain = DOMAIN.replace('{"y": "m"}', f'{{"y": "m"}}{declared}')
        checks.write_text(domain.replace("sizes=3", "values=5"))
        assert main(["expected", MINI]) == 2 * refused
        assert (said in capsys.readouterr().err) is refused


@pytest.mark.usefixtures("own_zygotes")
def test_an_error_that_the_solution_is_blamed_for_is_told_with_its_probe(
    course: Path, checks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(checks, '{"y": answers.double(x)}', '{"y": answers.double(x), "n": len(3)}')
    assert main(["expected", MINI]) == 2
    assert capsys.readouterr().err.endswith(
        "The error of double was raised in the probe run, at `return {'y': answers.double(x), 'n': "
        "len(3)}`. If the solution is right, mend the probe, or what the check hands in to it.\n"
    )
    source = course / "source" / MINI / f"{MINI}.ipynb"
    edit(source, "return 2 * x", "return len(3)")
    assert main(["expected", MINI]) == 2
    assert "raised in the probe" not in capsys.readouterr().err


def test_nothing_is_overlooked_in_a_sound_assignment(assignment: Assignment) -> None:
    assert oversights(assignment) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "checks/mini/check_double.py",
            '"""Every number is multiplied."""',
            "",
            "check_double.py: check_values has no docstring, whose first line tells students what "
            "it looks at",
        ),
        (
            "checks/mini/check_double.py",
            "@points(3)",
            '@points(3, text="Double every number")',
            "check_double.py: check_values rests on 'Double every number', which does not stand in "
            "the notebook",
        ),
        (
            "checks/mini/check_double.py",
            "@points(3)",
            DOMAIN.replace('"x": "m"', '"vector": "m"') + "@points(3)",
            "check_double.py: the domain calls an input `vector`, and `double` takes x: students "
            "read these names",
        ),
        (
            "source/mini/mini.ipynb",
            "print(double(torch.ones(1)))",
            "print(double(torch.ones(1)))\\ncheck('duoble')",
            "the cell check_double in source/ asks for check('duoble'), and no question is called "
            "so",
        ),
    ],
)
def test_what_no_grading_notices_is_told(
    file: str, old: str, new: str, said: str, course: Path, assignment: Assignment
) -> None:
    edit(course / file, old, new)
    assert oversights(assignment) == [said]


def test_a_quote_is_found_whatever_its_markup_and_lines(
    course: Path, checks: Path, assignment: Assignment
) -> None:
    edit(course / "release/mini/mini.ipynb", "import torch", "# Double `every`\\n# number")
    edit(checks, "@points(3)", '@points(3, text="double every *number*")')
    assert oversights(assignment) == []


ENTRY = {"question": "double", "was": "2", "becomes": "4", "reason": "it is even"}
OF_A_KIND = {"question": "double", "kind": "no_bias", "reason": "nothing has one"}


def entry(of: dict[str, str]) -> str:
    return "\n".join(["[[equivalent]]", *(f'{name} = "{value}"' for name, value in of.items())])


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (entry({**OF_A_KIND, "kind": "no_bais"}), "entry 1 of … names the kind 'no_bais': there"),
        (
            entry({**ENTRY, "question": "duoble"}),
            "entry 1 of … names the question 'duoble': there are double, triple",
        ),
        (
            f"{entry(ENTRY)}\n{entry(ENTRY).replace('becomes', 'become')}",
            "entry 2 of … has question, was, become, reason: give `question`, `reason`, and either "
            "`kind` or `was` and `becomes`",
        ),
        (entry(ENTRY).replace("equivalent", "equal"), "… holds something else than entries called"),
        ("equivalent = [1]", "… holds something else than entries called [[equivalent]]"),
        ("[[equivalent]", "… is no TOML that can be read: "),
    ],
)
def test_a_mistake_in_a_list_of_equivalents_is_told(
    written: str, said: str, assignment: Assignment
) -> None:
    path = assignment.checks / "equivalents.toml"
    path.write_text(f"{entry(ENTRY)}\n{entry(OF_A_KIND)}\n")
    assert equivalents(assignment, "double") == {
        ("2", "4"): "it is even",
        "no_bias": "nothing has one",
    }
    path.write_text(written)
    with pytest.raises(UsageError, match=f"^{re.escape(said.replace('…', str(path)))}"):
        equivalents(assignment, "double")
    (told,) = oversights(assignment)
    assert told.startswith(said.replace("…", str(path)))


@pytest.mark.usefixtures("own_zygotes")
def test_what_was_overlooked_is_told_by_the_commands_of_its_author(
    checks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["expected", MINI]) == 0
    edit(checks, '"""Every number is multiplied."""', "")
    said = "mini: check_double.py: check_values has no docstring, whose first line tells students"
    for command, code in ((["expected", MINI], 2), (["expected", MINI, "--check"], 1)):
        assert main(command) == code
        found = capsys.readouterr()
        assert said in found.out + found.err
    assert main(["doctor"]) == 1
    assert f"BAD  {said}" in capsys.readouterr().out


def test_a_check_file_that_nobody_asks_for_is_told(checks: Path, assignment: Assignment) -> None:
    checks.with_name("check_duoble.py").write_text(checks.read_text())
    assert oversights(assignment) == [
        "check_duoble.py is asked by nobody: the release has no graded cell check_duoble (its "
        "grade_id) with points"
    ]


def list_misconception(course: Path, instead: str) -> None:
    """One of `double`, with `instead` in the place of `2 * x`."""
    path = course / "checks" / MINI / "misconceptions" / "double.py"
    path.parent.mkdir()
    path.write_text(
        "from autograder.checking import Misconception\n\n"
        f'MISCONCEPTIONS = [Misconception("tripled", "You triple.", {{"2 * x": "{instead}"}})]\n'
    )


@pytest.mark.usefixtures("own_zygotes")
def test_the_doctor_tells_what_is_not_stored_or_not_released(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    list_misconception(course, "3 * x")
    (course / "checks" / "later").mkdir()
    (course / "source" / "later").mkdir()
    (course / "source" / "later" / "later.ipynb").write_text("{}")
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert (
        f"BAD  {MINI}: double: tripled has no stored replies: run `autograder expected {MINI}`"
        in said
    )
    assert "BAD  later: later has no release: run `nbgrader generate_assignment later`" in said


@pytest.mark.usefixtures("own_zygotes")
def test_a_misconception_with_a_misspelt_name_is_refused(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    list_misconception(course, "3 * y")
    assert main(["expected", MINI]) == 2
    said = capsys.readouterr().err
    assert "mini: double: the misconception tripled does not run as it stands: " in said
    assert "name 'y' is not defined" in said


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ('("tripled", "You triple.")', "… lists what is no Misconception(...): ('tripled', 'You "),
        (
            'Misconception("tripled", "You triple.", [("2 * x", "3 * x")])',
            "the misconception tripled in … has as `replaced` [('2 * x', '3 * x')]: give a "
            "dictionary {piece of the solution: what stands in its place}, of strings",
        ),
        (
            'Misconception("tripled", "You triple.", {"2 * x": 3})',
            "the misconception tripled in … has as `replaced` {'2 * x': 3}: give a dictionary",
        ),
        (
            'Misconception("tripled", ("You triple.",), {"2 * x": "3 * x"})',
            "the misconception tripled in … has as `sentence` ('You triple.',): give a string",
        ),
    ],
)
def test_what_lists_no_misconceptions_is_told(
    listed: str, said: str, course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    list_misconception(course, "3 * x")
    path = course / "checks" / MINI / "misconceptions" / "double.py"
    edit(path, 'Misconception("tripled", "You triple.", {"2 * x": "3 * x"})', listed)
    assert main(["expected", MINI]) == 2
    assert f"autograder: {said.replace('…', str(path))}" in capsys.readouterr().err


@pytest.mark.usefixtures("own_zygotes")
def test_a_source_that_lacks_a_question_of_its_release_is_told(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    list_misconception(course, "3 * x")
    edit(course / "source" / MINI / f"{MINI}.ipynb", '"grade_id": "double"', '"grade_id": "twice"')
    said = (
        "autograder: the release of mini has a solution cell double, and source/ has no cell of "
        "this grade_id: give it the id again, or generate the release anew with `nbgrader "
        "generate_assignment mini --force`\n"
    )
    for command in ("expected", "mutants"):
        assert main([command, MINI]) == 2
        assert capsys.readouterr().err.endswith(said)


@pytest.mark.usefixtures("own_zygotes")
def test_an_author_is_told_how_to_leave_out_what_the_solution_need_not_stand(
    course: Path, checks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = course / "source" / MINI / f"{MINI}.ipynb"
    edit(source, "return 2 * x", "assert len(x) > 1 or x == 1; return 2 * x")
    checks.write_text(DOMAIN.replace("sizes=3", "values=3, sizes=2"))
    assert main(["expected", MINI]) == 2
    assert (
        "If double need not stand what it was asked for there, its domain says so: sizes by "
        "`smallest`, `largest` and `multiples`; single cases by `without`."
    ) in capsys.readouterr().err
