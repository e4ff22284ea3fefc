"""What earlier verdicts said is kept, and a verdict on the same work is no new attempt."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.results.fingerprint import TOLERANCE, Fingerprint, alike
from autograder.results.formats import FORMATS, write_results
from autograder.results.history import HISTORY, History
from autograder.results.model import (
    CheckResult,
    Diagnosis,
    QuestionResult,
    Status,
    SubmissionResult,
)

TOLD = Diagnosis("misconception", "late", "Too late.")
PRINT = Fingerprint("0a", [1.5, -2.25])


def verdict(status: Status = "wrong", told: Diagnosis | None = TOLD) -> SubmissionResult:
    checks = [CheckResult(n, "It holds.", 1.0, passed=False, diagnosis=told) for n in ("a", "b")]
    question = QuestionResult("triple", status, 0.0, 2.0, checks, fingerprint=PRINT)
    return SubmissionResult("ps1", "x", "graded", 0.0, 2.0, "full", 1.0, [], [question])


def test_each_work_that_was_handed_in_is_an_attempt(tmp_path: Path) -> None:
    history = History(tmp_path, "ps1")
    for work, found in [("one", verdict()), ("two", verdict("ok", None)), ("one", verdict())]:
        history.add("demo-a", work, found)
    first, second, third = history.attempts()["demo-a"]
    assert [first.submitted, second.submitted, third.submitted] == ["one", "two", "one"]
    assert first.answers["triple"].told == [TOLD]
    assert first.answers["triple"].fingerprint == PRINT
    assert second.answers["triple"].status == "ok"


def test_the_last_verdict_on_the_same_work_holds_and_no_earlier_one_is_lost(tmp_path: Path) -> None:
    history = History(tmp_path, "ps1")
    for found in (verdict(), verdict(), verdict("ok", None), verdict("ok", None)):
        history.add("demo-a", "one", found)
    (attempt,) = history.attempts()["demo-a"]
    assert attempt.answers["triple"].status == "ok"
    (path,) = tmp_path.glob(f"{HISTORY}/*/*.jsonl")
    assert len(path.read_text().splitlines()) == 2
    assert TOLD.sentence in path.read_text()


def test_a_line_that_was_cut_off_costs_itself_alone(tmp_path: Path) -> None:
    history = History(tmp_path, "ps1")
    history.add("demo-a", "one", verdict())
    path = tmp_path / HISTORY / "demo-a" / "ps1.jsonl"
    path.write_text(path.read_text() + '{"submitted": "tw')
    history.add("demo-a", "three", verdict())
    assert [one.submitted for one in history.attempts()["demo-a"]] == ["one", "three"]


def test_students_and_assignments_stay_apart_whatever_they_are_called(tmp_path: Path) -> None:
    for student in ("demo-[a]", "*", ".b"):
        History(tmp_path, "ps1").add(student, "one", verdict())
    History(tmp_path, "ps2").add("demo-c", "one", verdict())
    assert set(History(tmp_path, "ps1").attempts()) == {"demo-[a]", "*", ".b"}
    assert History(tmp_path / "none", "ps1").attempts() == {}


def test_runs_beside_each_other_lose_nothing(tmp_path: Path) -> None:
    def record(run: int) -> None:
        for work in range(20):
            History(tmp_path, "ps1").add("demo-a", f"{run}.{work}", verdict())

    runs = [threading.Thread(target=record, args=[run]) for run in range(4)]
    for one in runs:
        one.start()
    for one in runs:
        one.join()
    found = [one.submitted for one in History(tmp_path, "ps1").attempts()["demo-a"]]
    assert sorted(found) == sorted(f"{run}.{work}" for run in range(4) for work in range(20))


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    History(tmp_path, "ps1").add("demo-a", "one", verdict())
    file = tmp_path / HISTORY / "demo-a" / "ps1.jsonl"
    assert [path.stat().st_mode & 0o077 for path in (file, file.parent)] == [0, 0]


def test_a_reply_that_may_be_the_fault_of_an_earlier_answer_is_not_kept(tmp_path: Path) -> None:
    found = verdict()
    followed = replace(found.questions[0], follow_through=["double"])
    History(tmp_path, "ps1").add("demo-a", "one", replace(found, questions=[followed]))
    assert History(tmp_path, "ps1").attempts()["demo-a"][0].answers["triple"].fingerprint is None


@pytest.mark.parametrize("form", FORMATS)
def test_no_format_tells_a_fingerprint_or_an_empty_cause(form: str, tmp_path: Path) -> None:
    adopted = Diagnosis("misconception", "adopted_1", "")
    told, nothing = verdict(told=TOLD), verdict(told=adopted)
    texts = []
    for number, found in enumerate((told, nothing)):
        printed = replace(found.questions[0], fingerprint=Fingerprint("5ec7e7", [7.654321]))
        output = tmp_path / str(number)
        write_results([replace(found, questions=[printed])], form, output)
        texts.append(output.read_text())
    assert not [text for text in texts for word in ("5ec7e7", "7.654321") if word in text]
    if form not in ("json", "junit"):  # which give its name to programs
        assert texts[0].replace(TOLD.sentence, "") != texts[0]
        assert "adopted" not in texts[1]
        assert "cause" not in texts[1].casefold()


def test_what_a_result_says_to_others_holds_no_fingerprint() -> None:
    found = verdict()
    assert "fingerprint" not in found.as_dict()["questions"][0]
    assert SubmissionResult.from_dict(found.as_dict()).questions[0].fingerprint is None
    assert SubmissionResult.from_dict(found.as_record()) == found


@pytest.mark.parametrize("border", [0.0, 0.5 * TOLERANCE, 1.0, 12.3456785])
def test_no_border_of_rounding_parts_equal_replies(border: float) -> None:
    noisy = {
        n: Fingerprint("0a", [border + noise, 2.0]) for n, noise in enumerate((-1e-6, 0, 1e-6))
    }
    other = {
        9: Fingerprint("0a", [border + 3 * TOLERANCE, 2.0]),
        8: Fingerprint("0b", [border, 2.0]),
    }
    assert sorted(alike({**noisy, **other})) == [[0, 1, 2], [8], [9]]
    assert not {one.label for one in noisy.values()} & {one.label for one in other.values()}


def test_equal_in_one_sum_is_not_equal() -> None:
    found = {n: Fingerprint("0a", [1.0, n * 1.0, 5.0 - n // 2]) for n in range(4)}
    assert sorted(alike(found)) == [[0], [1], [2], [3]]
    assert not found[0].equals(found[1])
    assert found[0].equals(found[0])
