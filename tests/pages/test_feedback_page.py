"""The feedback page: what it says, and how it shows in a real browser."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from browser import FLAGS, chromium, dump_dom
from mini import nbgrader_cell
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.api import Gradebook
from ordinary_course import make_course, nbgrader

from autograder.pages.feedback.content import Page, Region, feedback
from autograder.pages.feedback.exporter import rendered
from autograder.pages.feedback.pictures import drawing, where_wrong
from autograder.pages.feedback.summary import human
from autograder.pages.formulas import MAX_FORMULA, MAX_FORMULA_CHARS, Formulas
from autograder.pages.texts import markdown_to_html
from autograder.results import sentences
from autograder.results.model import (
    CheckResult,
    Diagnosis,
    ErrorMap,
    QuestionResult,
    SubmissionResult,
)
from autograder.results.stored import RESULT_NAME

CAUSE = "Your softmax runs over the queries (`dim=1`): look at its axis."
HOSTILE_NAME = '"><script>alert(1)</script>'
HIDDEN = [Region("BEGIN HIDDEN TESTS", "END HIDDEN TESTS")]


def graded_cells(
    slug: str, score: float, points: float, source: str = "f(1)"
) -> list[NotebookNode]:
    """An answer and its test cell, with the score that nbgrader keeps."""
    word = re.sub(r"\W", "", slug)
    code = f"def {word}(x):\n    return 1"
    answer = nbgrader_cell(word, code, solution=True, locked=False)
    test = nbgrader_cell(f"check_{word}", source, grade=True, points=points, score=score)
    answer.metadata.nbgrader.grade_id = slug
    test.metadata.nbgrader.grade_id = f"check_{slug}"
    return [answer, test]


def check(name: str, points: float, *, passed: bool, **settings: object) -> CheckResult:
    status = "ok" if passed else "wrong"
    made = CheckResult(name, f"Rule of `{name}`.", points, passed=passed, status=status)
    return replace(made, **settings)  # type: ignore[arg-type]


SOFTMAX = Diagnosis("misconception", "softmax_over_queries", CAUSE)
ATTENTION = QuestionResult(
    "attention",
    "wrong",
    4.0,
    10.0,
    [
        check("shapes", 4.0, passed=True),
        check(
            "values",
            5.0,
            passed=False,
            message="`weights` has the right shape.\n  in your cell, line 2",
            diagnosis=SOFTMAX,
            error_map=ErrorMap("weights", [2, 3, 4], [[0, 0, 1, 4]] * 6),
        ),
        check("sums", 1.0, passed=False, diagnosis=SOFTMAX),
    ],
)
SELF_ATTENTION = QuestionResult(
    "self_attention",
    "wrong",
    2.0,
    15.0,
    [check("rests", 15.0, passed=False, message="Wrong.")],
    follow_through=["attention"],
)
ENCODER = QuestionResult("encoder", "ok", 5.0, 5.0, [check("waves", 5.0, passed=True)])
UNANSWERED = QuestionResult(
    "heads",
    "unanswered",
    0.0,
    20.0,
    [
        check(name, 10.0, passed=False, status="unanswered", message="Not answered.")
        for name in ("one", "two")
    ],
)


def page_of(
    folder: Path,
    *questions: QuestionResult,
    cells: tuple[NotebookNode, ...] = (),
    flags: tuple[str, ...] = (),
    **names: object,
) -> Page:
    """The page on a notebook of these questions, whose result lies in `folder`."""
    made = [c for q in questions for c in graded_cells(q.slug, q.score, q.max_score)]
    result = SubmissionResult(
        *("demo", "demo/demo.ipynb", "graded"),
        score=sum(q.score for q in questions),
        max_score=sum(q.max_score for q in questions),
        sandbox="full",
        seconds=1.0,
        flags=list(flags),
        questions=list(questions),
    )
    if questions:
        (folder / RESULT_NAME).write_text(json.dumps(result.as_dict()))
    said = {"assignment": "demo", "notebook": "demo", "student": "demo-student", **names}
    resources = {"nbgrader": said, "metadata": {"path": str(folder)}}
    return feedback(new_notebook(cells=[*made, *cells]), resources, HIDDEN)


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


def noisy_cells() -> list[NotebookNode]:
    """A student's cells with every kind of output, and wide ones."""
    wide = "word " * 60
    outputs = [
        new_output("stream", name="stdout", text=f"\x1b[31m{HOSTILE_NAME}\x1b[0m {wide}\n"),
        new_output("display_data", {"text/html": f"<table><tr><td>{'1' * 300}</td></tr></table>"}),
        new_output("display_data", {"text/latex": r"$\displaystyle \frac{a}{b}$"}),
        new_output("display_data", {"image/png": "iVBORw0KGgo="}, metadata={}),
        new_output("execute_result", {"text/plain": HOSTILE_NAME}),
        new_output("error", ename="E", evalue="", traceback=[HOSTILE_NAME, wide]),
    ]
    long = "$$" + "x + " * 80 + "y$$"
    return [
        new_markdown_cell(f"# Title\n\n{long}\n\n{'w' * 200}\n\n|a|b|\n|-|-|\n|{'1' * 200}|2|"),
        new_markdown_cell(
            "## Part\n\n![](attachment:none) [out](https://example.org)\n\n### Small"
        ),
        new_code_cell(f"# {'c' * 200}\nprint({HOSTILE_NAME!r})", outputs=outputs),
        nbgrader_cell("given", "import math\n" * 9),
    ]


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


@pytest.mark.parametrize(
    ("shape", "levels", "words"),
    [
        ([2, 2], [[1, 2], [3, 4]], "wrong everywhere"),
        ([3, 3], [[0, 1, 1], [0, 0, 1], [0, 0, 0]], "wrong above the diagonal only"),
        ([2, 2, 2], [[0, 0], [1, 0], [0, 0], [1, 0]], "wrong below the diagonal only"),
        ([2, 4], [[0, 0, 0, 1], [0, 0, 2, 1]], "wrong in the last columns only"),
        ([2, 4], [[0, 0, 0, 0], [1, 0, 2, 1]], "wrong in the last rows only"),
        ([4], [[0, 1, 0, 1]], "wrong in the odd (counted from 0) columns only"),
        ([64], [[0, 1, 0, 1]], "wrong in 2 of the 4 fields of the picture"),
        ([], [[4]], "wrong everywhere"),
    ],
)
def test_where_a_tensor_is_wrong_is_said_in_words(
    shape: list[int], levels: list[list[int]], words: str
) -> None:
    assert where_wrong(ErrorMap("x", shape, levels)) == words


def test_the_matrices_of_a_batch_are_drawn_apart() -> None:
    drawn = drawing(ErrorMap("x", [2, 2, 2], [[0, 4]] * 4))
    assert [path.count("M") for path in drawn.paths] == [4, 0, 0, 0, 4]
    assert [re.findall(r"M1 (\S+?)h", drawn.paths[4])] == [["0", "1", "2.5", "3.5"]]
    assert drawn.height == pytest.approx(4.4)


def test_a_slug_reads_as_a_title() -> None:
    assert human("check_self_attention", 3) == "Self attention"
    assert human("cell-0123456789abcdef", 3) == "Question 3"


def test_formulas_become_mathml_and_odd_ones_stay_latex() -> None:
    page = markdown_to_html(r"$\frac{1}{\sqrt{d_k}}$ and $\frac{$", {}, Formulas())
    assert "<mfrac><mrow><mn>1</mn></mrow><mrow><msqrt>" in page
    assert r"$\frac{$" in page
    rows = Formulas()(r"\begin{cases} a \\[2ex] b \end{cases}", display=True)
    assert rows is not None
    assert "2ex" not in rows


@pytest.mark.parametrize(
    "latex",
    [
        "x" * (MAX_FORMULA + 1),
        "{" * 300 + "}" * 300,
        r"\def\a{\b\b}\def\b{\c\c}\a",
        r"\newcommand{\a}{x}\a",
        r"\frac{",
    ],
)
def test_a_formula_that_costs_too_much_stays_latex(latex: str) -> None:
    assert Formulas()(latex, display=False) is None


def test_the_formulas_of_a_page_have_a_budget_together() -> None:
    formulas = Formulas()
    made = [formulas("x" * 1000, display=False) for _ in range(MAX_FORMULA_CHARS // 1000 + 1)]
    assert made.index(None) == MAX_FORMULA_CHARS // 1000


def test_the_size_of_a_space_in_a_formula_is_bounded() -> None:
    assert "9999" not in str(Formulas()(r"\hspace{9999em} \rule{9999em}{1em} x", display=False))


HEADING = re.compile(r"<h([1-6])[ >]")


def test_headings_go_down_one_level_at_a_time_and_links_find_their_place(tmp_path: Path) -> None:
    page = page_of(tmp_path, ATTENTION, cells=tuple(noisy_cells()))
    shown = rendered(page)
    levels = [int(level) for level in HEADING.findall(shown)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    own = set(re.findall(r'href="#([\w-]+)"', shown))
    assert own
    assert own <= set(re.findall(r'id="([\w-]+)"', shown))
    assert all("alt=" in picture for picture in re.findall(r"<img[^>]*>", shown))


def _colours(css: str) -> list[dict[str, str]]:
    blocks = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks]


def _luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_every_text_has_contrast_in_both_colour_schemes(tmp_path: Path) -> None:
    schemes = _colours(rendered(page_of(tmp_path)))
    assert len(schemes) == 2
    for colours in schemes:
        for text, ground in [
            *(
                (ink, card)
                for ink in ("ink", "quiet", "link")
                for card in ("paper", "card", "code")
            ),
            *((ink, "card") for ink in ("good", "bad", "part")),
            *((ink, f"{ink}-card") for ink in ("bad", "part")),
            *((ink, "code") for ink in ("keyword", "name", "string", "number", "comment")),
            *((ink, "paper") for ink in ("red", "green", "yellow", "blue", "magenta", "cyan")),
            *((ink, "bad-card") for ink in ("red", "green", "yellow", "blue", "magenta", "cyan")),
        ]:
            assert _contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


MEASURE = """
addEventListener("load", () => {
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument, root = page.documentElement;
    const scrolling = [...page.querySelectorAll("body *")].filter(element =>
      element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
      && ["auto", "scroll"].includes(page.defaultView.getComputedStyle(element).overflowX));
    const stops = [...page.querySelectorAll("a[href], summary, [tabindex='0']")];
    frame.replaceWith(Object.assign(document.createElement("output"), {textContent: JSON.stringify({
      width: frame.clientWidth, needed: root.scrollWidth, first: stops[0].className,
      scripts: page.scripts.length, scrolling: scrolling.map(e => [e.className, e.tabIndex]),
    })}));
  }
});
"""


def test_nothing_overflows_the_page_on_a_phone_or_a_desktop(tmp_path: Path) -> None:
    cells = tuple(noisy_cells())
    page = rendered(page_of(tmp_path, ENCODER, ATTENTION, SELF_ATTENTION, UNANSWERED, cells=cells))
    frames = "".join(
        f'<iframe style="border:0;width:{width}px;height:900px" srcdoc="{html.escape(page)}">'
        "</iframe>"
        for width in (320, 390, 1100)
    )
    path = tmp_path / "frames.html"
    path.write_text(f"<!DOCTYPE html><body>{frames}<script>{MEASURE}</script></body>")
    dom = dump_dom(path.as_uri(), tmp_path / "profile")
    measured = [json.loads(html.unescape(m)) for m in re.findall(r"<output>(.*?)</output>", dom)]
    assert [found["width"] for found in measured] == [320, 390, 1100]
    for found in measured:
        assert found["needed"] <= found["width"], found
        assert found["first"] == "skip"
        assert found["scripts"] == 0
    wide = measured[-1]["scrolling"]
    assert {name for name, _ in wide} >= {"code", "output stdout", "scroll"}
    assert [name for name, stop in wide if stop != 0 and name not in ("formula", "prose")] == []


def test_the_page_prints(tmp_path: Path) -> None:
    path, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    path.write_text(rendered(page_of(tmp_path, ENCODER, ATTENTION, cells=tuple(noisy_cells()))))
    command = [chromium(), *FLAGS, f"--user-data-dir={tmp_path / 'profile'}"]
    command += [f"--print-to-pdf={printed}", "--no-pdf-header-footer", path.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    data = printed.read_bytes()
    assert data.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", data)) <= 8


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course in which nbgrader graded one wrong answer to an assignment with hidden tests."""
    answer = "### BEGIN SOLUTION\ndef double(x):\n    return 2 * x\n### END SOLUTION"
    hidden = "### BEGIN HIDDEN TESTS\nassert double(3) == 6, 'secret'\n### END HIDDEN TESTS"
    cells = [
        new_markdown_cell("# Doubling\n\nWrite $2x$.", id="intro"),
        nbgrader_cell("double", answer, solution=True, locked=False),
        nbgrader_cell("check_double", f"assert double(0) == 0\n{hidden}", grade=True, points=4.0),
        nbgrader_cell("essay", "", grade=True, solution=True, locked=False, points=3.0),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    source = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    folder = make_course(tmp_path_factory.mktemp("course"), {"ps1": {"p1": source}})
    submitted = folder / "submitted" / "demo-wrong" / "ps1"
    shutil.copytree(folder / "release" / "ps1", submitted)
    notebook = nbformat.read(submitted / "p1.ipynb", as_version=4)
    notebook.cells[1].source = "def double(x):\n    return x + x * x"
    notebook.cells[3].source = "because = 'it doubles'"
    nbformat.write(notebook, submitted / "p1.ipynb")
    done = nbgrader(folder, "autograde", "ps1")
    assert done.returncode == 0, done.stderr
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        gradebook.find_comment("double", "p1", "ps1", "demo-wrong").manual_comment = "Try **3**."
        gradebook.db.commit()
    return folder


def made_page(folder: Path) -> str:
    done = nbgrader(folder, "generate_feedback", "ps1", "--force")
    assert done.returncode == 0, done.stderr
    return (folder / "feedback" / "demo-wrong" / "ps1" / "p1.html").read_text()


def test_generate_feedback_makes_the_page_of_a_failing_submission(graded: Path) -> None:
    page = made_page(graded)
    assert "<title>Feedback: Ps1: P1</title>" in page
    assert "<b>0</b> <span>of 7 points" in page
    assert '<span class="status">not right yet</span>' in page
    assert '<span class="status">waits for your instructor</span>' in page
    assert "<p>Try <strong>3</strong>.</p>" in page
    assert '<math display="inline">' in page
    assert '<span class="nf">double</span>' in page
    assert "AssertionError in a test" in page
    assert "secret" not in page
    assert "HIDDEN" not in page
    assert "<script" not in page


def test_generate_feedback_shows_what_the_checks_found(graded: Path) -> None:
    question = replace(ATTENTION, slug="double", score=0.0, max_score=4.0)
    path = graded / "autograded" / "demo-wrong" / "ps1" / RESULT_NAME
    kept = path.read_bytes()
    found = {**json.loads(kept), "verdict": "out-of-reach", "questions": []}
    result = replace(SubmissionResult.from_dict(found), questions=[question])
    path.chmod(0o644)
    path.write_text(json.dumps(result.as_dict()))
    page = made_page(graded)
    path.write_bytes(kept)
    assert "Your softmax runs over the queries" in page
    assert "AssertionError" not in page
    assert 'role="img"' in page
