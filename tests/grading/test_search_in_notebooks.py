"""The place of a mistake is found in whole notebooks, and changes no score."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from mini import answer, mini_assignment, write_source

from autograder.authoring.notebooks import notebook_with
from autograder.checking.misconceptions import Misconception, misconceptions
from autograder.course.assignments import CONFIG_NAME, Assignment, Course
from autograder.course.limits import Limits
from autograder.course.settings import read_settings
from autograder.grading import jury
from autograder.grading.grader import Grader
from autograder.results import sentences
from autograder.results.model import Diagnosis, QuestionResult


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    mini = mini_assignment(tmp_path_factory.mktemp("course"))
    write_source(mini)
    with Grader(mini, Limits(search_seconds=60, cell_seconds=5, probe_seconds=2)) as warm:
        yield warm


def verdict(grader: Grader, **answers: str) -> QuestionResult:
    return grader.grade(answer(grader.assignment, **answers), "x").result.question("triple")


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("return 3 * x.abs()", 2),
        ("y = 4\n    return y * x", 2),
        ("with torch.no_grad():\n        y = 3 * x\n    y += 1\n    return y", 4),
        ("x = x.clone()\n    y = torch.abs(x) + 2 * x\n    return y", 3),
        ("return torch.log10(x.exp()) * 3", 2),
        ("while x.sum() > 100:\n        pass\n    return x * 2", 4),
        ("return torch.tanh(x) + 7", None),
        ("return 5 * x - x", None),
    ],
)
def test_a_place_is_found_in_whole_notebooks(body: str, line: int | None, grader: Grader) -> None:
    found = verdict(grader, triple=f"def triple(x):\n    {body}")
    said = {c.diagnosis.sentence if c.diagnosis else "" for c in found.checks if not c.passed}
    assert found.status == "wrong"
    assert len(said) == 1
    text = said.pop()
    assert (f" in line {line} of your cell" in text) == (line is not None), text


def test_no_score_is_changed(grader: Grader) -> None:
    wrong = "def triple(x):\n    return 3 * x.abs()"
    with Grader(grader.assignment, Limits()) as without:
        before = verdict(without, triple=wrong)
    after = verdict(grader, triple=wrong)
    assert (after.score, after.status) == (before.score, before.status) == (3.0, "wrong")
    assert [c.passed for c in after.checks] == [c.passed for c in before.checks]
    assert all(c.diagnosis is None for c in before.checks)


def test_a_right_answer_and_one_that_rests_on_a_wrong_one_are_not_searched(grader: Grader) -> None:
    resting = "def triple(x):\n    return double(x) + x"
    found = verdict(grader, double="def double(x):\n    return x", triple=resting)
    assert all(check.diagnosis is None for check in found.checks)
    assert verdict(grader).status == "ok"


def test_a_right_submission_is_not_looked_into_for_a_search(
    grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("what its questions rest on was looked up")

    monkeypatch.setattr("autograder.grading.dependencies.names_of", refuse)
    assert verdict(grader).status == "ok"


@pytest.mark.parametrize(("text", "seconds"), [("{}", 0), ('{"search_seconds": 0}', 0)])
def test_a_course_can_switch_it_off(text: str, seconds: float, tmp_path: Path) -> None:
    (tmp_path / CONFIG_NAME).write_text(f"c = get_config()\nc.GradeInBox.limits = {text}\n")
    assert read_settings(tmp_path).limits.search_seconds == seconds


TWO_MISTAKES = """
def attention(queries, keys, values):
    d = queries.shape[-1]
    similarity = torch.einsum("bqd,bkd->bqk", queries, keys)
    weights = similarity.softmax(dim=0)
    return torch.bmm(weights, values), weights
"""


def told_of(assignment: str, slug: str, source: str) -> set[Diagnosis | None]:
    """What the feedback on a whole notebook tells beside the failed checks of one wrong answer."""
    course = Course(ROOT).assignment_with_checks(assignment)
    notebook = notebook_with(course, slug, source, "after random numbers")
    limits = Limits(search_seconds=60, cell_seconds=20, probe_seconds=10)
    with Grader(course, limits, follows_through=False) as grader:
        found = grader.grade(notebook, "x").result.question(slug)
    assert found.status == "wrong"
    return {c.diagnosis for c in found.checks if c.message not in ("", sentences.not_counted())}


def test_two_mistakes_are_told_in_a_whole_notebook_of_another_style() -> None:
    (diagnosis,) = told_of("a1_attention_blocks", "attention", TWO_MISTAKES)
    assert diagnosis is not None
    assert diagnosis.source == "place"
    assert "One change in line 4 of your cell" in diagnosis.sentence
    assert "softmax of the bare dot products" in diagnosis.sentence


HIDDEN_BY_A_CHANGE = """
def gradient_times_input(model, x, position):
    model.eval()
    x = x.detach().clone().requires_grad_(True)
    with torch.enable_grad():
        logits = model(x)[:, position]
        z = logits[:, logits[-1].argmax()].sum()
        (grad,) = torch.autograd.grad(z, x)
    return (grad * x.detach()).sum(dim=-1)
"""


def test_a_change_that_hides_a_mistake_behind_another_sends_nobody_to_a_right_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def others(assignment: Assignment, slug: str) -> list[Misconception]:
        known = misconceptions(assignment, slug)
        near = ("one_class_for_the_batch", "class_of_the_first_sequence")  # then it is sought
        return [one for one in known if one.name not in near]

    monkeypatch.setattr(jury, "misconceptions", others)
    told = told_of("a2_encoder_explainability", "gradient_times_input", HIDDEN_BY_A_CHANGE)
    assert told == {None}
