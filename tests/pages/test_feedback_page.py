"""What the feedback page says: scores, checks, where to look first, and nothing that is hidden."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from feedback_pages import (
    ATTENTION,
    CAUSE,
    ENCODER,
    HOSTILE_NAME,
    SELF_ATTENTION,
    SOFTMAX,
    UNANSWERED,
    check,
    graded_cells,
    noisy_cells,
    page_of,
)
from hostile_markup import PIXEL
from mini import nbgrader_cell
from nbformat.v4 import new_markdown_cell, new_output

from autograder.pages.feedback.content import Page, Region
from autograder.pages.feedback.exporter import rendered
from autograder.pages.feedback.summary import human
from autograder.results import sentences
from autograder.results.model import CheckResult, ErrorMap, QuestionResult

LABEL = "Text of the notebook"


def states(page: Page) -> list[tuple[str, str, str]]:
    return [(row.title, row.state, row.status) for row in page.rows]


def test_every_question_has_its_score_and_its_status_in_plain_words(tmp_path: Path) -> None:
    bonus = replace(ENCODER, slug="bonus", status="wrong", score=0.0, max_score=0.0)
    crashed = replace(ATTENTION, slug="crashed", status="crash", score=0.0)
    page = page_of(tmp_path, ENCODER, ATTENTION, UNANSWERED, bonus, crashed)
    assert states(page) == [
        ("Encoder", "full", "right"),
        ("Attention", "part", "partly right"),
        ("Heads", "open", "not answered"),
        ("Bonus", "open", "not right yet"),
        ("Crashed", "none", "ended the Python process"),
    ]
    assert [row.share for row in page.rows] == [100, 40, 0, 0, 0]
    assert (page.score, page.max_score) == (9, 45)


def test_the_first_look_goes_to_the_question_that_others_rest_on(tmp_path: Path) -> None:
    first = page_of(tmp_path, ENCODER, ATTENTION, SELF_ATTENTION).first
    assert first is not None
    assert (first.row.title, first.later, first.hint) == ("Attention", ["Self attention"], CAUSE)


def test_questions_that_rest_on_one_are_named_as_a_sentence_names_them(tmp_path: Path) -> None:
    resting = [replace(SELF_ATTENTION, slug=slug) for slug in ("block", "model", "training")]
    page = page_of(tmp_path, ENCODER, ATTENTION, *resting)
    assert "and Block, Model and Training build on it." in rendered(page)


def test_else_the_first_look_goes_where_most_points_are_lost(tmp_path: Path) -> None:
    alone = replace(SELF_ATTENTION, follow_through=[])
    first = page_of(tmp_path, ATTENTION, alone).first
    assert first is not None
    assert (first.row.title, first.later, first.hint) == ("Self attention", [], "Wrong.")


def test_what_was_not_answered_counts_like_what_is_wrong(tmp_path: Path) -> None:
    later = replace(UNANSWERED, slug="later", max_score=50.0)
    first = page_of(tmp_path, ENCODER, ATTENTION, UNANSWERED, later).first
    assert first is not None
    assert first.row.title == "Later"


def test_points_lost_in_questions_that_rest_on_one_count_for_it(tmp_path: Path) -> None:
    small = replace(ATTENTION, score=ATTENTION.max_score - 1)
    resting = replace(SELF_ATTENTION, follow_through=["attention"], score=0.0)
    costly = replace(UNANSWERED, slug="later", max_score=resting.max_score + 0.5)
    first = page_of(tmp_path, small, resting, costly).first
    assert first is not None
    assert (first.row.title, first.later) == ("Attention", ["Self attention"])


def test_what_an_earlier_check_said_is_not_said_again(tmp_path: Path) -> None:
    checks = [
        CheckResult("one", "One.", 2.0, passed=False, message="It raised."),
        CheckResult("two", "Two.", 2.0, passed=True),
        CheckResult("three", "Three.", 1.0, passed=False, message="It raised."),
    ]
    page = rendered(page_of(tmp_path, replace(ATTENTION, checks=checks)))
    assert page.count("It raised.") == 2  # first look, first check
    assert page.count(sentences.AS_ABOVE) == 1


def test_with_all_points_there_is_nothing_to_look_at(tmp_path: Path) -> None:
    page = page_of(tmp_path, ENCODER)
    assert page.first is None
    assert "You have all the points of this notebook." in rendered(page)


PICTURE = f"data:image/png;base64,{PIXEL}"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("# Doubling\n\nWrite $2x$ with **care**.", ""),
        ('<div STYLE="border: 1px solid #d9dcd8"><b>30</b> of 30 points</div>', LABEL),
        ("<table><tr><td>Passed</td></tr></table>", LABEL),
        ("<h2>Attention</h2>", LABEL),
        ("![30 of 30 points](attachment:verdict.png)", LABEL),
        (f"![30 of 30 points]({PICTURE})", LABEL),
        (f'<image src="{PICTURE}">', LABEL),
    ],
)
def test_a_text_that_could_be_taken_for_a_verdict_says_whose_it_is(
    text: str, label: str, tmp_path: Path
) -> None:
    page = page_of(tmp_path, cells=(*graded_cells("one", 1.0, 2.0), new_markdown_cell(text)))
    assert (f'<p class="label">{LABEL}</p>' in rendered(page)) is bool(label)


def test_without_a_result_the_page_shows_what_nbgrader_knows(tmp_path: Path) -> None:
    essay = nbgrader_cell("essay", "", grade=True, solution=True, locked=False, points=3.0)
    essay.metadata.nbgrader.update(score=0.0, waiting=True, comment="A *good* start.")
    written = new_markdown_cell("Because.", metadata=essay.metadata)
    empty = nbgrader_cell("empty", "", grade=True, solution=True, locked=False, points=0.0)
    empty.metadata.nbgrader.update(score=0.0, waiting=False, by_hand=False)
    task = new_markdown_cell("Draw.", metadata=nbgrader_cell("drawing", "", task=True).metadata)
    task.metadata.nbgrader.update(points=2.0, score=2.0)
    cells = (*graded_cells("one", 1.0, 2.0), written, empty, task)
    page = page_of(tmp_path, cells=cells, score=2.5, max_score=7.0, late_penalty=0.5)
    assert states(page) == [
        ("One", "part", "part of the points"),
        ("Essay", "waiting", "waits for your instructor"),
        ("Empty", "open", "not answered"),
        ("Drawing", "full", "graded by your instructor"),
    ]
    shown = rendered(page)
    assert "<b>2.5</b> <span>of 7 points" in shown
    assert "0.5 points were taken off because it came late." in shown
    assert "your instructor has still to grade Essay." in shown
    assert "up to 3 points" in shown
    assert "<p>A <em>good</em> start.</p>" in shown


def test_a_score_that_a_person_set_says_so(tmp_path: Path) -> None:
    cells = graded_cells("one", 2.0, 2.0)
    cells[1].metadata.nbgrader.update(by_hand=True, extra_credit=0.5)
    shown = rendered(page_of(tmp_path, cells=tuple(cells)))
    assert "Your instructor set this score by hand." in shown
    assert "It includes 0.5 extra from your instructor." in shown


def test_a_failed_check_shows_its_cause_its_message_and_its_picture(tmp_path: Path) -> None:
    shown = rendered(page_of(tmp_path, ATTENTION, SELF_ATTENTION))
    assert "Most likely cause</b> Your softmax runs over the queries (<code>dim=1</code>)" in shown
    assert "<code>weights</code> has the right shape.\n  in your cell, line 2</p>" in shown
    label = "Picture of the errors in weights, shape 2 by 3 by 4: wrong in the last columns only"
    assert f'role="img" aria-label="{label}"' in shown
    assert "1 of 3 checks passed" in shown
    assert "It has the same cause as above." in shown
    assert "the instructor&#39;s answer to <code>attention</code> in place of yours" in shown
    assert "were not there: mend that first." in shown
    assert [mark in shown for mark in ("Passed:", "Failed:")] == [True, True]


def test_what_all_checks_of_a_question_say_is_said_once(tmp_path: Path) -> None:
    assert (
        rendered(page_of(tmp_path, UNANSWERED)).count("Not answered.") == 2
    )  # first look, verdict


def test_whatever_people_chose_is_escaped(tmp_path: Path) -> None:
    wrong = check(
        "x",
        1.0,
        passed=False,
        title=HOSTILE_NAME,
        diagnosis=replace(SOFTMAX, sentence=HOSTILE_NAME),
    )
    drawn = ErrorMap(HOSTILE_NAME, [1], [[1]])
    question = QuestionResult(
        HOSTILE_NAME, "wrong", 0.0, 1.0, [replace(wrong, message=HOSTILE_NAME, error_map=drawn)]
    )
    names = {"student": HOSTILE_NAME + "\ud800", "assignment": HOSTILE_NAME}
    flags = (HOSTILE_NAME, "\x1b[31m\x00red")
    page = page_of(tmp_path, question, cells=tuple(noisy_cells()), flags=flags, **names)
    shown = rendered(page)
    shown.encode()
    assert "<script" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert not {"\x1b", "\x00"} & set(shown)


def test_code_reads_in_the_order_in_which_it_runs(tmp_path: Path) -> None:
    """Characters that turn a line around, or that no page may hold, are not shown."""
    answer, test = graded_cells("double", 0, 1)
    answer.source = "admin = 1  # \u202e } nidda fi\u2066\x00\x0b\ufffe"
    page = page_of(tmp_path, cells=(answer, test))
    text = rendered(page)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00\x0b\ufffe]", text)
    assert "nidda fi" in text


def test_tests_that_stay_hidden_are_neither_shown_nor_quoted(tmp_path: Path) -> None:
    source = "assert f(1)\n### BEGIN HIDDEN TESTS\nassert f(2) == 42\n### END HIDDEN TESTS\nf(3)"
    cells = graded_cells("one", 0.0, 2.0, source)
    traceback = ["----> 3 assert f(2) == 42", "AssertionError: wanted 42"]
    error = new_output("error", ename="AssertionError", evalue="wanted 42", traceback=traceback)
    cells[1].outputs = [new_output("stream", name="stdout", text="f(2) is 42"), error]
    shown = rendered(page_of(tmp_path, cells=tuple(cells)))
    assert "AssertionError in a test" in shown
    assert "42" not in shown[shown.index("<body>") :]
    assert "HIDDEN" not in shown
    assert Region("BEGIN", "END").cut_from("a\n# BEGIN\nb") == "a"


def test_a_slug_reads_as_a_title() -> None:
    assert human("check_self_attention", 3) == "Self attention"
    assert human("cell-0123456789abcdef", 3) == "Question 3"
