"""What is told of a mistake of which nothing closer is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import GraderOf
from mini import answer, mini_assignment

from autograder.authoring.notebooks import notebook_with
from autograder.checking.error_hints import ERRORS
from autograder.checking.kinds import OBSERVED
from autograder.course.limits import Limits
from autograder.grading.broad import ASPECTS, told_broadly
from autograder.grading.check_package import CheckPackage
from autograder.grading.grader import Grader
from autograder.grading.judge import Judge
from autograder.results import battery_sentences, sentences
from autograder.results.model import CheckResult, Diagnosis, QuestionResult, Status

OWN = {name: name for name in (*battery_sentences.ASPECTS, *ASPECTS)}
KNOWN = Diagnosis("misconception", "known", "Known.")
FOR_SOME = """def attention(q, k, v):
    scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
    if CONDITION:
        scores = scores * torch.arange(k.shape[1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights
"""


def told(*checks: tuple[str, str, Status, Diagnosis | None]) -> list[str | None]:
    made = [
        CheckResult(name, "A check.", 1.0, False, said, status, known)
        for name, said, status, known in checks
    ]
    made.append(CheckResult("values", "A check.", 1.0, True))
    found = told_broadly(QuestionResult("question", "wrong", 1.0, 9.0, made), OWN).checks
    return [check.diagnosis.name if check.diagnosis else None for check in found]


BATTERY = """
from autograder.checking import Battery, Domain, points

BATTERY = Battery(
    Domain(
        "scaled", {"N": 2, "L": 3}, {"x": "N L"}, {"y": "N L"}, settings={"rate": (1.0, 2.0)},
        part="with_a_rate", about="with a rate",
    ),
    values=1,
    sizes=1,
)


@points(1)
def check_sizes():
    pass
"""

OF_WHOLE_NUMBERS = """
from autograder.checking import Battery, Domain, Integers

domain = Domain("largest", {"N": 3}, {"ids": Integers("N", 0, 9)}, {"top": ""}, doubles=False)
battery = Battery(domain, values=1, extremes=1)
"""


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    with Grader(mini_assignment(tmp_path_factory.mktemp("mini")), Limits()) as warm:
        yield warm


def test_an_answer_that_fails_in_one_aspect_is_told_so() -> None:
    names = [told((aspect, "Wrong.", "wrong", None))[0] for aspect in ASPECTS]
    assert names == [name for name, _ in ASPECTS.values()]
    two = [("sizes", "Wrong.", "wrong", None), ("extremes", "Wrong.", "wrong", None)]
    assert told(*two) == [None, None, None]  # type: ignore[arg-type]


def test_a_check_that_is_of_no_battery_looks_at_no_aspect() -> None:
    assert told(("runs_without_gradients", "It runs with them.", "wrong", None)) == [None, None]


def test_the_aspects_of_a_battery_are_known_whatever_its_checks_are_called(tmp_path: Path) -> None:
    file = tmp_path / "check_scaled.py"
    file.write_text(BATTERY)
    assert Judge([file], CheckPackage(tmp_path)).aspects("scaled") == {
        "with_a_rate_values": "values",
        "with_a_rate_sizes": "sizes",
    }


def test_of_whole_numbers_nothing_is_said_of_exponentials(tmp_path: Path) -> None:
    file = tmp_path / "check_largest.py"
    file.write_text(OF_WHOLE_NUMBERS)
    assert Judge([file], CheckPackage(tmp_path)).aspects("largest") == {
        "values": "values",
        "extremes": "whole_extremes",
    }


def test_nothing_is_said_to_be_right_that_was_not_seen() -> None:
    sizes = CheckResult("sizes", "A check.", 1.0, False, "Wrong.", "wrong")
    verdict = QuestionResult("question", "wrong", 0.0, 1.0, [sizes])
    assert told_broadly(verdict, OWN) == verdict


def test_nothing_rests_on_checks_that_are_reserved() -> None:
    checks = [
        CheckResult("sizes", "A check.", 1.0, False, "Wrong.", "wrong"),
        CheckResult("values", "A check.", 1.0, True),
    ]
    verdict = QuestionResult("question", "wrong", 0.0, 9.0, checks)
    assert told_broadly(verdict, OWN).checks[0].diagnosis is not None
    assert told_broadly(verdict, OWN, {"values"}) == verdict


def test_an_error_is_explained_before_the_aspect_it_is_met_in() -> None:
    said = "Your code raised KeyError: 'a'"
    assert told(("sizes", said, "error", None))[0] == "unknown_key"
    assert told(("sizes", "Your code raised Odd: 'a'", "error", None))[0] == "right_for_some_sizes"
    assert told(("sizes", said, "wrong", None))[0] == "right_for_some_sizes"


def test_what_is_known_stays_and_what_does_not_count_is_left_alone() -> None:
    withheld = ("care", sentences.not_counted(), "wrong", None)
    assert told(("sizes", "Wrong.", "wrong", KNOWN), withheld) == ["known", None, None]  # type: ignore[arg-type]
    assert told(("sizes", "Wrong.", "wrong", None), withheld)[0] == "right_for_some_sizes"  # type: ignore[arg-type]
    assert told(("sizes", "It took too long.", "timeout", None)) == [None, None]


def test_an_error_is_explained_before_what_its_cases_have_in_common() -> None:
    case = Diagnosis("case", "small_alone", OBSERVED["small_alone"])
    said = "Your code raised KeyError: 'a'"
    assert told(("sizes", said, "error", case))[0] == "unknown_key"  # type: ignore[arg-type]
    assert told(("sizes", "Wrong.", "wrong", case))[0] == "small_alone"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("return x.view(2, 99)", "sizes_of_a_reshape"),
        ("return x @ torch.ones(7, 7)", "sizes_of_a_product"),
        ("return treble(x)", "unknown_name"),
    ],
)
def test_a_student_reads_what_an_error_means(body: str, name: str, grader: Grader) -> None:
    notebook = answer(grader.assignment, triple=f"def triple(x):\n    {body}")
    checks = grader.grade(notebook, "x").result.question("triple").checks
    assert {check.diagnosis for check in checks} == {Diagnosis("broad", name, ERRORS[name][1])}


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("k.shape[1] > 100", Diagnosis("case", "long_alone", OBSERVED["long_alone"])),
        ("k.shape[1] > 100 or len(k) > 2", Diagnosis("broad", *ASPECTS["sizes"])),
    ],
)
def test_an_answer_in_a_whole_notebook_is_told_what_it_gets_right(
    grader_of: GraderOf, condition: str, said: Diagnosis
) -> None:
    warm = grader_of("a1_attention_blocks")
    answered = FOR_SOME.replace("CONDITION", condition)
    notebook = notebook_with(warm.assignment, "attention", answered, "as the solution")
    question = warm.grade(notebook, "x").result.question("attention")
    assert {check.diagnosis for check in question.checks if not check.passed} == {said}


def test_a_plot_that_is_missing_for_an_error_is_told_the_error(grader_of: GraderOf) -> None:
    warm = grader_of("a1_attention_blocks")
    slug = "positional_encoder_plot"
    source = warm.dependencies.source(slug).replace("encoder.pe[0", "encoder.table[0")
    notebook = notebook_with(warm.assignment, slug, source, "as the solution")
    question = warm.grade(notebook, "x").result.question(slug)
    said = {check.message for check in question.checks}
    assert len(said) == 1
    assert all(one.startswith("Your cell raised AttributeError: ") for one in said)
    assert all(one.endswith(", and so there is no plot to look at.") for one in said)


def test_an_error_of_who_uses_an_answer_says_nothing_of_a_line_in_it() -> None:
    text = "'list' object has no attribute 'get'"
    for said, known in (
        (sentences.raised("AttributeError", text, ["line 2: x.get(1)"]), True),
        (sentences.unfit("AttributeError", text), False),
        (
            sentences.unfit("RuntimeError", "it does not require grad and does not have a grad_fn"),
            True,
        ),
    ):
        assert (told(("values", said, "error", None))[0] is not None) is known


@pytest.mark.parametrize(("lines", "name"), [(["line 3: x + y"], "sizes_meet"), ([], None)])
def test_of_a_line_is_spoken_where_one_is_shown(lines: list[str], name: str | None) -> None:
    said = "The size of tensor a (3) must match the size of tensor b (4) at dimension 1"
    message = sentences.raised("RuntimeError", said, lines)
    assert told(("modes", message, "error", None), ("sizes", message, "error", None)) == [
        name,
        name,
        None,
    ]
