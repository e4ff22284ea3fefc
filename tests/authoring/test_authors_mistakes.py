"""Mistakes in check files are told to their author: what is wrong, where, and what to do."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from mini_course import MINI, edit, make_course

from autograder.cli import main
from autograder.errors import BrokenCheck

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
