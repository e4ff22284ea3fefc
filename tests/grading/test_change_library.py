"""A wrong answer is told the kind of small change that makes a right one reply so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from mini import answer, mini_assignment, write_source

from autograder.authoring.mutants import NOTHING_STORED, faults, measured, summary
from autograder.authoring.strength import mutants, try_out
from autograder.box.probes import ProbeRun
from autograder.checking.kinds import told
from autograder.course.assignments import Assignment, Course
from autograder.grading.change_library import Library, change, name_kinds
from autograder.grading.grader import Grader
from autograder.grading.prints import Print
from autograder.grading.transcripts import Transcripts, Utterance
from autograder.results.model import CheckResult, Diagnosis

RIGHT = "def triple(x):\n    y = 3 * x\n    return y"


def said(value: float, **facts: object) -> list[Utterance]:
    numbers = torch.linspace(0, 1, 40) * value
    return [Utterance.of(ProbeRun({"y": numbers}, dict(facts)))]  # type: ignore[arg-type]


def failed(*names: str) -> list[CheckResult]:
    return [CheckResult(name, "It holds.", 1.0, passed=False, status="wrong") for name in names]


def library(**kinds: Transcripts) -> Library:
    right: Transcripts = {"values": said(1), "signs": said(1)}
    return Library.of([change(kind, "", transcripts, right) for kind, transcripts in kinds.items()])


def test_noise_below_the_tolerance_is_no_difference() -> None:
    mine, its = Print.of(said(2.0, n=1, share=0.5)), Print.of(said(2.00001, n=1, share=0.500001))
    assert mine.digest == its.digest
    assert torch.allclose(mine.sums, its.sums, atol=1e-4)


@pytest.mark.parametrize(
    "other",
    [
        said(2.01),
        said(2.0, n=1),
        said(float("nan")),
        [Utterance.of(ProbeRun({"z": torch.linspace(0, 1, 40) * 2}))],
        [Utterance.of(ProbeRun({"y": torch.linspace(0, 1, 40).double() * 2}))],
        [*said(2.0), *said(2.0)],
        [Utterance.of(ProbeRun(error={"name": "E", "text": "t", "lines": []}))],
        [],
    ],
)
def test_anything_else_is_one(other: list[Utterance]) -> None:
    known = library(constant={"values": said(2.0)})
    assert known.matching({"values": Print.of(said(2.0))}, ["values"])
    assert not known.matching({"values": Print.of(other)}, ["values"])


def test_the_same_checks_must_fail_and_all_reply_so() -> None:
    known = library(constant={"values": said(2), "signs": said(3)})
    heard = {"values": said(2), "signs": said(3)}

    def kinds(checks: list[CheckResult], **others: list[Utterance]) -> list[str | None]:
        named = name_kinds(checks, {**heard, **others}, known)
        return [check.diagnosis.name if check.diagnosis else None for check in named]

    assert kinds(failed("values", "signs")) == ["constant", "constant"]
    assert kinds(failed("values")) == [None]
    assert kinds(failed("values", "signs", "another")) == [None, None, None]
    assert kinds(failed("values", "signs"), signs=said(4)) == [None, None]
    passed = CheckResult("signs", "It holds.", 1.0, passed=True)
    assert kinds([*failed("values"), passed]) == [None, None]


def test_what_a_misconception_explains_needs_no_kind() -> None:
    known = library(constant={"values": said(2), "signs": said(3)})
    name = Diagnosis("misconception", "late", "Too late.")
    first, second = failed("values", "signs")
    explained = CheckResult("signs", "It holds.", 1.0, passed=False, diagnosis=name)
    found = name_kinds([first, explained], {"values": said(2), "signs": said(9)}, known)
    assert [check.diagnosis.source if check.diagnosis else None for check in found] == [
        "kind",
        "misconception",
    ]
    assert second.diagnosis is None


def test_a_check_in_which_something_was_raised_is_told_no_kind() -> None:
    known = library(missing_call={"values": said(2, error="TypeError"), "signs": said(3)})
    heard = {"values": said(2, error="TypeError"), "signs": said(3)}
    values, signs = failed("values", "signs")
    raised = replace(values, status="error")

    def kinds(*checks: CheckResult) -> list[str | None]:
        named = name_kinds(checks, heard, known)
        return [check.diagnosis.name if check.diagnosis else None for check in named]

    assert kinds(values, signs) == ["missing_call", "missing_call"]
    assert kinds(raised, signs) == [None, "missing_call"]
    assert kinds(raised, replace(signs, status="timeout")) == [None, None]


def test_a_check_that_hears_what_is_right_tells_no_kind_beside_one_that_raised() -> None:
    known = library(missing_call={"values": said(2, error="TypeError"), "signs": said(1)})
    values, signs = failed("values", "signs")
    heard = {"values": said(2, error="TypeError"), "signs": said(1)}
    found = name_kinds([replace(values, status="error"), signs], heard, known)
    assert [check.diagnosis for check in found] == [None, None]


def test_a_reply_that_is_the_right_one_tells_nothing() -> None:
    known = library(constant={"values": said(1)})
    assert known.kinds == []
    assert not known.matching({"values": Print.of(said(1))}, ["values"])


def test_kinds_that_reply_alike_are_told_by_what_they_have_in_common_or_not_at_all() -> None:
    assert told(["constant"], [""]) == (
        "constant",
        "Your answer gives what a right one gives when one number in the code is another one.",
    )
    assert (told(["constant", "constant"], ["dim", "dim"]) or ("", ""))[1].endswith("`dim`.")
    assert "Look" not in (told(["constant", "constant"], ["dim", "x"]) or ("", ""))[1]
    assert "Look" not in (told(["constant"], ["self"]) or ("", ""))[1]
    assert (told(["missing_call", "missing_keyword"], ["", ""]) or ("", ""))[0] == "left_out"
    assert told(["clamped", "no_bias"], ["", ""]) is None
    both = library(clamped={"values": said(2)}, no_bias={"values": said(2)})
    assert name_kinds(failed("values"), {"values": said(2)}, both)[0].diagnosis is None


def test_what_is_stored_is_read_back_and_is_small(tmp_path: Path) -> None:
    many = {f"kind{n}": {"values": said(2 + n), "signs": said(3 + n)} for n in range(200)}
    known = library(**many)
    path = tmp_path / "kinds.safetensors"
    path.write_bytes(known.as_bytes())
    stored = Library.load(path)
    assert stored.as_bytes() == known.as_bytes()
    assert path.stat().st_size < 20_000
    assert Library.load(tmp_path / "none").matching({"values": Print.of(said(2))}, ["v"]) == set()
    assert Library.of([]).as_bytes()


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    assignment = mini_assignment(tmp_path_factory.mktemp("course"))
    write_source(assignment, triple=RIGHT)
    with Grader(assignment) as grader:
        for question in assignment.questions:
            path = assignment.kinds_file(question.slug)
            path.parent.mkdir(exist_ok=True)
            strength = try_out(grader, question, mutants(grader, question))
            path.write_bytes(strength.library.as_bytes())
            assert strength.unknown(Library.load(path)) == []
    return assignment


@pytest.fixture(scope="module")
def grader(mini: Assignment) -> Iterator[Grader]:
    with Grader(mini) as warm:
        yield warm


@pytest.mark.parametrize(
    ("triple", "name"),
    [
        ("x + x", "constant"),
        ("3 * x * torch.ones(()) - x", "constant"),
        ("x / (1 / 3) + x", "other_formula"),  # another number, or an input added
        ("3 * x + 0 * x.sum() - 2 * x", None),  # a term or a variable: nothing in common
        ("3 / x", "operator"),
        ("5 * x", None),
        ("torch.tanh(x)", None),
        ("3 * x", None),
    ],
)
def test_whoever_replies_like_a_changed_solution_is_told_its_kind(
    triple: str, name: str | None, grader: Grader
) -> None:
    notebook = answer(grader.assignment, triple=f"def triple(x):\n    return {triple}")
    checks = grader.grade(notebook, "x").result.question("triple").checks
    assert {c.diagnosis.name if c.diagnosis else None for c in checks} == {name}
    assert all(c.diagnosis is None or c.diagnosis.source == "kind" for c in checks)


def test_a_change_of_what_a_mutant_replies_is_noticed(grader: Grader) -> None:
    question = grader.assignment.questions[1]
    strength = try_out(grader, question, mutants(grader, question))
    failing = [label for label, one in strength.changes.items() if any(one.prints.values())]
    assert failing
    assert strength.unknown(Library.of([])) == failing


def test_measuring_stores_only_what_it_is_told_to(mini: Assignment) -> None:
    root = mini.source_path.parents[2]
    (root / "checks" / "mini").mkdir()
    for file in mini.checks.glob("check_*.py"):
        (root / "checks" / "mini" / file.name).write_bytes(file.read_bytes())
    (root / "nbgrader_config.py").write_text("c = get_config()\n")
    stored = root / "checks" / "mini" / "kinds" / "triple.safetensors"
    with Grader(Course(root).assignment_with_checks("mini")) as fresh:
        before = measured(fresh, "triple", store=False)
        assert (before.unstored, before.forgotten) == (True, [])
        assert not stored.exists()
        assert NOTHING_STORED in summary([before])
        assert not [fault for fault in faults([before]) if "stored" in fault]
        after = measured(fresh, "triple", store=True)
        assert (after.unstored, after.forgotten) == (False, [])
        assert NOTHING_STORED not in summary([after])
        assert stored.is_file()
        stored.write_bytes(Library.of([]).as_bytes())
        assert measured(fresh, "triple", store=False).forgotten


def test_to_cut_gradients_is_no_mistake_where_nothing_asks_for_them(grader: Grader) -> None:
    question = grader.assignment.questions[1]
    strength = try_out(grader, question, mutants(grader, question))
    cutting = [label for label, kind in strength.kinds.items() if kind == "cut_gradient"]
    assert cutting
    assert strength.equivalent == dict.fromkeys(cutting, "nothing here asks for gradients")
    head = "def triple(x):"
    assert f"{head}  =>  {head}  (`y = 3 * x` becomes `with torch.no_grad():`)" in cutting


def test_where_no_cell_imports_torch_there_are_no_gradients_to_cut(tmp_path: Path) -> None:
    made = mini_assignment(tmp_path)
    text = made.release_path.read_text()
    made.release_path.write_text(text.replace('"import torch"', '"import math"'))
    assignment = Assignment(made.id, made.release_path, made.checks)
    write_source(assignment)
    with Grader(assignment) as other:
        kinds = {one.kind for one in mutants(other, assignment.questions[1])}
    assert kinds
    assert "cut_gradient" not in kinds
