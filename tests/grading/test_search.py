"""The place of a mistake: one line in which one change makes everything right, or silence."""

from __future__ import annotations

import ast
import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from spent import processor_seconds

from autograder.checking.asking import Student
from autograder.grading.mutations import Mutations
from autograder.grading.mutations.repairs import REPAIRS, SAID
from autograder.grading.search import (
    NODES,
    SOURCE_CHARS,
    Outcome,
    Trials,
    is_sought,
    outcome,
    place,
    placed,
)
from autograder.results import sentences
from autograder.results.model import CheckResult, Diagnosis, QuestionResult

FOREVER = float("inf")
WRONG = "def triple(x):\n    y = x + x.abs()\n    return y + x"


RIGHT, WRONG_STILL = Outcome(right=True), Outcome()


def leading(wanted: Mapping[str, Outcome]) -> Callable[[str], Outcome]:
    """Where a source leads that holds one of these lines; nowhere without."""
    return lambda source: next((to for line, to in wanted.items() if line in source), WRONG_STILL)


def found(source: str, *wanted: str, until: float = FOREVER) -> str | None:
    repaired = leading(dict.fromkeys(wanted, RIGHT))
    diagnosis = place(source, repaired, lambda _: RIGHT, until)
    return diagnosis.sentence if diagnosis else None


def test_the_line_and_the_kind_are_told_and_not_the_change() -> None:
    said = found(WRONG, "    y = x + x\n")
    assert said == (
        "One change in line 2 of your cell makes every check of this question pass: "
        "a step there is one too many."
    )


def test_lines_are_counted_as_tracebacks_do_which_leave_out_empty_ones_at_the_start() -> None:
    said = found("\n  \n\n" + WRONG, "    y = x + x\n")
    assert said is not None
    assert said.startswith("One change in line 2 of your cell")


def test_several_kinds_in_one_line_are_told_by_the_line_alone() -> None:
    said = found(WRONG, "    y = x + x\n", "    y = x.abs()\n")
    assert said == "One change in line 2 of your cell makes every check of this question pass."


def test_changes_in_two_lines_tell_nothing() -> None:
    assert found(WRONG, "    y = x + x\n", "    return y - x") is None


def known(name: str, *, mends: bool = True) -> Outcome:
    return Outcome(left=Diagnosis("misconception", name, f"You {name}."), mends=mends)


def met(**wanted: Outcome) -> str | None:
    """What is told where a changed line, by its number, leads somewhere."""
    lines = {"two": "    y = x + x\n", "again": "    y = x.abs()\n", "three": "    return y - x"}
    to = leading({lines[name]: outcome for name, outcome in wanted.items()})
    diagnosis = place(WRONG, to, to, FOREVER)
    return diagnosis.sentence if diagnosis else None


def test_a_change_that_leaves_one_known_mistake_tells_both() -> None:
    assert met(two=known("forget")) == (
        "One change in line 2 of your cell (a step there is one too many) leaves one known "
        "mistake. You forget."
    )


def test_two_changes_that_mend_each_others_mistake_tell_both_lines() -> None:
    assert met(two=known("forget"), three=known("double")) == (
        "One change in line 2 of your cell leaves one known mistake. You forget. One in line 3 "
        "leaves another. You double."
    )
    assert met(two=known("forget"), again=known("double")) == (
        "One change in line 2 of your cell leaves one known mistake. You forget. Another there "
        "leaves another. You double."
    )


def test_a_change_that_makes_all_right_is_told_instead_of_two() -> None:
    said = met(two=known("forget"), three=RIGHT)
    assert said is not None
    assert said.startswith("One change in line 3 ")


def test_one_mistake_left_by_changes_in_several_lines_tells_nothing() -> None:
    assert met(two=known("forget"), three=known("forget")) is None


def test_a_change_that_is_itself_the_mistake_that_it_leaves_tells_nothing() -> None:
    assert met(two=replace(known("forget"), kinds={"operands"})) is not None
    assert met(two=replace(known("forget"), kinds={"missing_call"})) is None


def test_a_change_that_mends_nothing_counts_where_another_one_goes_on_to_a_right_answer() -> None:
    first, both = "    y = x + x\n    return y + x", "    y = x + x\n    return y - x"
    said = "One change in line 2 of your cell (a step there is one too many) leaves one known"

    def told(second: Outcome) -> str:
        to = leading({both: second, first: known("forget", mends=False)})
        diagnosis = place(WRONG, to, to, FOREVER)
        return diagnosis.sentence if diagnosis else ""

    assert told(RIGHT).startswith(said)
    assert told(WRONG_STILL) == ""


def test_what_is_left_has_to_be_told_of_the_answer_as_a_whole() -> None:
    to = leading({"    y = x + x\n": known("forget")})
    assert place(WRONG, to, lambda _: known("double"), FOREVER) is None
    assert place(WRONG, to, lambda _: RIGHT, FOREVER) is None


@pytest.mark.parametrize(
    ("checks", "wanted"),
    [
        ({"a": None}, Outcome(right=True)),
        ({"a": None, "b": "forget"}, known("forget")),
        ({"a": "forget", "b": "forget"}, known("forget")),
        ({"a": "forget", "b": "double"}, WRONG_STILL),
        ({"a": "forget", "b": ""}, WRONG_STILL),
    ],
)
def test_one_mistake_has_to_explain_all_failed_checks(
    checks: dict[str, str | None], wanted: Outcome
) -> None:
    results = [
        CheckResult(
            name,
            "It holds.",
            1.0,
            passed=said is None,
            status="ok" if said is None else "wrong",
            diagnosis=known(said).left if said else None,
        )
        for name, said in checks.items()
    ]
    assert outcome(results) == wanted


def test_what_raises_is_no_known_mistake() -> None:
    failed = CheckResult("a", "It holds.", 1.0, passed=False, status="error")
    assert not outcome([replace(failed, diagnosis=known("forget").left)])


def test_a_part_of_what_is_wrong_is_looked_behind() -> None:
    part = Diagnosis("part", "forget", "You forget.")
    failed = CheckResult("a", "It holds.", 1.0, False, "No.", "wrong", part)
    assert not outcome([failed])
    verdict = QuestionResult("f", "wrong", 0.0, 1.0, [failed])
    assert is_sought(verdict)
    found = Diagnosis("place", "two", "One change in line 3.")
    assert [c.diagnosis for c in placed(verdict, found).checks] == [found]
    assert placed(verdict, None).checks == [failed]


@pytest.mark.parametrize("source", [WRONG, "def f(:", "", "x" * SOURCE_CHARS + "+ 1", "\0"])
def test_nothing_is_told_where_nothing_is_found(source: str) -> None:
    assert found(source, "no such line") is None


def test_a_long_chain_of_terms_is_let_be() -> None:
    assert found("x = " + "+".join("1" * 2900), "no such line") is None


def test_what_passes_the_failed_checks_alone_is_no_repair() -> None:
    assert place(WRONG, lambda _: RIGHT, lambda _: WRONG_STILL, FOREVER) is None


def test_the_search_ends_in_time() -> None:
    tried = []

    def fails(source: str) -> Outcome:
        tried.append(source)
        return WRONG_STILL

    assert place(WRONG, fails, lambda _: RIGHT, time.monotonic() - 1) is None
    assert tried == []


def test_the_clock_is_looked_at_before_every_change_though_all_make_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = itertools.count()
    monkeypatch.setattr(
        "autograder.grading.search.time", SimpleNamespace(monotonic=seconds.__next__)
    )
    made = Counted(Mutations._mutant)
    monkeypatch.setattr(Mutations, "_mutant", lambda *given: made(*given))
    assert found("f(" + ", ".join("0" * 300) + ")", "no such line", until=200) is None
    assert 0 < made.times <= 200
    assert found("f(0, 1)", "f(1, 0)", until=next(seconds) - 1) is None


class Counted:
    """A function, of which it is counted how often it is called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.times = 0

    def __call__(self, *given: Any) -> Any:
        self.times += 1
        return self._function(*given)


def test_what_has_too_many_parts_is_let_be() -> None:
    tried: list[str] = []

    def fails(source: str) -> Outcome:
        tried.append(source)
        return WRONG_STILL

    source = "f(" + "0,1," * (NODES // 2) + ")"
    assert len(source) < SOURCE_CHARS
    assert place(source, fails, fails, FOREVER) is None
    assert tried == []


def test_equal_neighbours_are_not_exchanged() -> None:
    kinds = {"exchanged": REPAIRS["exchanged"]}
    changes = Mutations("x = (0, 0, 0, 1, 1)", kinds=kinds).changes
    assert [ast.unparse(one.other) for one in changes if one.other] == ["(0, 0, 1, 0, 1)"]


def changing(levels: int) -> float:
    """Seconds of the processor for the changes of a call inside of so many blocks."""
    blocks = "".join(" " * n + "for a in b:\n" for n in range(levels))
    source = blocks + " " * levels + "f(" + "0," * 100 + ")"
    kinds = {"missing_argument": REPAIRS["missing_argument"]}
    return processor_seconds(lambda: list(Mutations(source, kinds=kinds).by_kind()))


def test_a_change_inside_of_many_blocks_takes_little_longer() -> None:
    assert min(changing(80) for _ in range(3)) < 8 * min(changing(8) for _ in range(3))


def test_the_fastest_check_that_failed_is_asked_first_from_then_on() -> None:
    asked: list[str] = []
    names = {"slow": 0.05, "quick": 0.0}

    def ask(name: str, student: Student) -> CheckResult:
        asked.append(name)
        time.sleep(names[name])
        return CheckResult(name, "It holds.", 1.0, passed=name == "slow", status="wrong")

    checks = [CheckResult(name, "It holds.", 1.0, passed=False) for name in names]
    trials = Trials(lambda source: source, ask, lambda _: None, checks)  # type: ignore[arg-type,return-value]
    assert not trials.tried("a")
    assert not trials.tried("b")
    assert asked == ["slow", "quick", "quick"]


def test_every_kind_of_repair_has_its_words_and_makes_code() -> None:
    source = (
        "class A:\n"
        "    def __init__(self, n):\n        self.a = self.b = n\n"
        "    @torch.no_grad()\n"
        "    def f(self, x, y):\n"
        "        with torch.no_grad():\n            z = g(x, y, dim=1)[1:] * 64 + self.a\n"
        "        if x > y:\n            z += 1\n"
        "        z += 2\n"
        "        z = g(h(z)) + x.sum()\n"
        "        return z, x\n"
    )
    made = list(Mutations(source, kinds=REPAIRS).by_kind())
    assert {one.kind for one in made} == set(REPAIRS) == set(SAID)
    for one in made:
        compile(one.source, "repair", "exec")
        assert 1 <= one.line <= len(source.splitlines())


def test_what_counts_is_never_turned_round_as_a_mask_is() -> None:
    source = (
        "def f(scores, mask):\n"
        "    most = min(len(scores), max(mask.shape))\n"
        "    return scores[:most].masked_fill(mask, int(scores.sum()))\n"
    )
    made = Mutations(source, kinds=REPAIRS).by_kind()
    turned = [one.becomes for one in made if one.kind == "turned_round"]
    assert turned == ["return scores[:most].masked_fill(~mask, int(scores.sum()))"]


@pytest.mark.parametrize(
    ("others", "sought"),
    [
        ({}, True),
        ({"passed": True}, False),
        ({"message": sentences.not_counted()}, False),
        ({"diagnosis": Diagnosis("kind", "constant", "So it is.")}, False),
    ],
)
def test_only_what_failed_by_itself_and_is_not_known_is_sought(
    others: dict[str, Any], sought: bool
) -> None:
    check = replace(CheckResult("values", "It holds.", 1.0, passed=False, status="wrong"), **others)
    verdict = QuestionResult("triple", "wrong", 0.0, 1.0, [check])
    found = Diagnosis("place", "line", "There.")
    assert is_sought(verdict) == sought
    assert (placed(verdict, found).checks[0].diagnosis == found) == sought
    assert placed(verdict, None) == verdict
    assert not is_sought(replace(verdict, follow_through=["double"]))
    assert not is_sought(replace(verdict, status="timeout"))
