"""The page of similar submissions: what it says, and that nothing of a student runs in it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from html import unescape
from pathlib import Path
from random import Random

import pytest
from browser import dump_dom
from conftest import A1, ROOT, read_sample, samples
from similar_class import all_at_once, class_of, leave_graded

from autograder.cli import main
from autograder.course.assignments import Course
from autograder.pages.class_report.gathering import ClassResults, Standing
from autograder.pages.inert import POLICY
from autograder.pages.similar import page as similar_page
from autograder.pages.similar.gathering import gather_code, wrong_replies
from autograder.pages.similar.winnowing import MAX_CODE
from autograder.results.fingerprint import Fingerprint
from autograder.results.history import Answer, Attempt
from autograder.results.model import CheckResult, QuestionResult, SubmissionResult

COPY = '"><script>document.title="run"<\\script>\N{RIGHT-TO-LEFT OVERRIDE}'
HOSTILE = (
    "\n# </code></pre><script>document.title = 'run'</script><img src=x onerror=alert(1)>\x1b["
)


def reply(message: str) -> QuestionResult:
    check = CheckResult("check_a", "A.", 2.0, False, message, "wrong")
    return QuestionResult("attention", "wrong", 0.0, 2.0, [check])


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with a1 and thirty submissions, one of them a copy; the working folder."""
    folder = tmp_path / "course"
    for step in ("release", "source"):
        shutil.copytree(ROOT / step / A1, folder / step / A1)
    (folder / "nbgrader_config.py").write_text("c = get_config()\n")
    students = class_of(30)
    unlike = next(path for path in samples(A1, "correct") if path.stem == "loops")
    students["demo-004"] |= read_sample(unlike).answers  # whatever the class has drawn
    for student, answers in students.items():
        leave_graded(folder, student, answers, reply(f"Wrong as {student[-1]}."))
    copied = all_at_once(students["demo-004"], Random(0))
    copied = {slug: text.replace("\n", f"  {HOSTILE}\n") for slug, text in copied.items()}
    leave_graded(folder, COPY, copied, reply("Wrong as 4."))
    monkeypatch.chdir(folder)
    return folder


def made_page(root: Path) -> str:
    assert main(["report", A1, "--similar"]) == 0
    return (root / "reports" / f"{A1}-similar.html").read_text(encoding="utf-8")


def test_the_page_shows_both_sides_and_calls_it_a_reason_to_look(root: Path) -> None:
    page = made_page(root)
    assert "A reason to look, not a verdict." in page
    assert "31 submissions compared" in page
    assert "1 pair, the most alike first." in page
    first = page[page.index('<ol class="pairs">') :]
    assert unescape(first).count(COPY[:20]) >= 2
    assert "demo-004" in first
    assert "of which nobody else has, and the same wrong reply to attention" in first
    assert first.count("<mark>") > 20
    left, right = first.split('<div class="sides">')[1].split("</div>\n<div>")
    assert "positional_encoder" in left + right
    assert "A cell of their own" in left + right
    assert "left out" in left + right


def test_it_is_made_only_when_asked_for_and_besides_the_class_report(root: Path) -> None:
    assert main(["report", A1]) == 0
    assert [path.name for path in (root / "reports").iterdir()] == [f"{A1}.html"]
    text = (root / "reports" / f"{A1}.html").read_text()
    assert "similar" not in text.lower()
    assert main(["report", A1, "--similar", "--output", "elsewhere.html"]) == 0
    assert [path.name for path in (root / "reports").iterdir()] == [f"{A1}.html"]
    assert "Similar submissions" in (root / "elsewhere.html").read_text()


def test_nothing_of_a_student_runs_and_nothing_is_fetched(root: Path, tmp_path: Path) -> None:
    page = made_page(root)
    assert POLICY in unescape(page[: page.index("<style")])
    for tag in ("<script", "<img", "<b>", " onerror=alert(1)>", "\x1b"):
        assert tag not in page
    assert "&lt;/code&gt;&lt;/pre&gt;" in page
    path = root / "reports" / f"{A1}-similar.html"
    dom = dump_dom(path.as_uri(), tmp_path / "profile")
    assert "<title>Similar submissions" in dom


def test_names_lead_to_the_feedback_page(root: Path) -> None:
    feedback = root / "feedback" / "demo-004" / A1 / f"{A1}.html"
    feedback.parent.mkdir(parents=True)
    feedback.write_text("feedback")
    assert f'<a href="../feedback/demo-004/{A1}/{A1}.html">' in made_page(root)


def test_what_cannot_be_compared_is_named(root: Path) -> None:
    folder = root / "autograded" / "demo-001" / A1
    (folder / f"{A1}.ipynb").write_text("[" * 100_000)
    ungraded = root / "autograded" / "demo-002" / A1 / "result.json"
    told = json.loads(ungraded.read_text())
    ungraded.write_text(json.dumps({**told, "status": "ungraded", "reason": "the disk is full"}))
    notebook = root / "autograded" / "demo-003" / A1 / f"{A1}.ipynb"
    found = json.loads(notebook.read_text())
    found["cells"].append({"cell_type": "code", "metadata": {}, "source": ["x = 1\n"] * MAX_CODE})
    notebook.write_text(json.dumps(found))
    page = made_page(root)
    assert "29 submissions compared, 2 without a verdict or damaged left out" in page
    assert "Not compared: <bdi>demo-001</bdi>, <bdi>demo-002</bdi>." in page
    assert f"first {MAX_CODE:,} characters of the code were read of <bdi>demo-003</bdi>." in page


def test_a_long_list_is_cut_and_counted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    students = class_of(30)
    for n in range(3):
        leave_graded(root, f"copy-{n}", students[f"demo-{n + 20:03}"])
    monkeypatch.setattr(similar_page, "MOST_PAIRS", 2)
    page = made_page(root)
    assert "4 pairs, the most alike first; 2 are shown." in page
    assert page.count('<div class="sides">') == 2


def test_a_small_class_and_one_without_a_pair_say_so(root: Path) -> None:
    shutil.rmtree(root / "autograded" / COPY)
    assert "No two submissions share enough rare code to be listed." in made_page(root)
    for n in range(25):
        shutil.rmtree(root / "autograded" / f"demo-{n:03}")
    assert "With fewer than 10 submissions nothing can be told to be rare" in made_page(root)
    shutil.rmtree(root / "autograded")
    assert main(["report", A1, "--similar"]) == 2
    assert main(["report", "no_such_thing", "--similar"]) == 2


def test_the_code_of_the_student_is_compared_and_that_of_the_course_is_not(root: Path) -> None:
    found = gather_code(Course(root), A1)
    coder = found.coders["demo-000"]
    assert [cell.slug for cell in coder.cells] == list(class_of(1)["demo-000"])
    assert set(coder.work.replies) == {"attention"}
    assert len(found.common) > 500


def class_results(*questions: QuestionResult) -> ClassResults:
    """A student for each verdict, called by its place."""
    standings, history = [], {}
    for place, question in enumerate(questions):
        result = SubmissionResult(A1, "x", "graded", 0.0, 2.0, "full", 1.0, [], [question])
        standings.append(Standing(str(place), result, None, None))
        answers = {question.slug: Answer.of(question)}
        history[str(place)] = [Attempt("work", answers)]
    return ClassResults(A1, standings, {}, {}, history)


def test_equal_wrong_replies_have_one_number() -> None:
    right, unanswered = replace(reply(""), status="ok"), replace(reply(""), status="unanswered")
    questions = [reply("One."), reply("One."), reply("Two."), right, unanswered]
    found = wrong_replies(class_results(*questions))
    assert found["0"] == found["1"] != found["2"]
    assert found["3"] == found["4"] == {}


def test_wrong_replies_are_equal_when_their_numbers_are() -> None:
    first, near, far = (Fingerprint("0a", [1.0, x]) for x in (2.0, 2.00001, 2.1))
    prints = [first, near, far, None]
    found = wrong_replies(
        class_results(*(replace(reply("Wrong."), fingerprint=one) for one in prints))
    )
    assert found["0"] == found["1"]
    assert len({found[str(place)]["attention"] for place in range(4)}) == 3
