"""Verdicts: what each kind of answer earns, and that one answer never costs another."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from mini import answer, mini_assignment, nbgrader_cell

from autograder.box.outside.client import Box, BoxLost
from autograder.course.assignments import Assignment
from autograder.course.limits import MIB, Limits
from autograder.errors import AutograderError, DeadlinePassed, Ungraded, UsageError, ZygoteGone
from autograder.grading.grader import Grader
from autograder.results.model import SubmissionResult

LIMITS = Limits(
    cell_seconds=1.5,
    probe_seconds=1.5,
    submission_seconds=20,
    cell_output_bytes=MIB // 16,
    disk_bytes=8 * MIB,
    processes=24,
)


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    return mini_assignment(tmp_path_factory.mktemp("mini"))


@pytest.fixture(scope="module")
def warm(mini: Assignment) -> Iterator[Grader]:
    with Grader(mini, LIMITS) as grader:
        yield grader


def verdict(grader: Grader, *, at_start: str = "", **answers: str) -> SubmissionResult:
    submission = answer(grader.assignment, at_start=at_start, **answers)
    return grader.grade(submission, "x").result


def messages(result: SubmissionResult, slug: str) -> str:
    return "\n".join(check.message for check in result.question(slug).checks)


def test_a_right_submission_earns_every_point(warm: Grader) -> None:
    result = verdict(warm)
    assert (result.status, result.score, result.max_score) == ("graded", 10.0, 10.0)
    assert [question.status for question in result.questions] == ["ok", "ok"]
    assert result.flags == []


def test_a_partly_right_answer_earns_a_part(warm: Grader) -> None:
    result = verdict(warm, double="def double(x):\n    return 2 * x.abs()")
    assert result.question("double").score == 3.0
    assert result.question("double").status == "wrong"
    assert result.question("triple").score == 5.0


# Each answer, the status it gets, and a part of the sentence that says why.
SPOILED = {
    "raises": (
        "raise ValueError('odd')",
        "error",
        "raised ValueError: odd\n  in your cell, line 2",
    ),
    "exits": ("raise SystemExit(0)", "error", "raised SystemExit"),
    "hangs": ("while True: pass", "timeout", "ran out of time"),
    "ignores_signals": (
        "import signal, time; signal.pthread_sigmask(0, range(1, 32)); time.sleep(1e9)",
        "timeout",
        "ran out of time",
    ),
    "ends_the_process": ("import os; os._exit(0)", "crash", "ended the Python process"),
    "segfaults": ("import ctypes; ctypes.string_at(0)", "crash", "ended the Python process"),
    "kills_itself": ("import os; os.kill(os.getpid(), 9)", "crash", "ended the Python process"),
    "asks_for_too_much_memory": ("bytearray(10**12)", "memory", "memory"),
    "closes_the_channel": ("import os; os.closerange(3, 99)", "crash", "ended the Python"),
    "fills_the_disk": (
        "f = open('big', 'wb')\n    while True: f.write(bytes(1 << 20)) and f.flush()",
        "output",
        "wrote more than the 8 MiB in 4,096 files",
    ),
    "starts_too_many_threads": (
        "import threading as t, time\n"
        "    while True: t.Thread(target=time.sleep, args=(9,)).start()",
        "error",
        "A notebook may have 24 processes and threads",
    ),
    "returns_nan_as_a_number": ("return float('nan')", "error", "raised ValueError"),
    "returns_nothing": ("pass", "wrong", "`y` is of type NoneType; expected a torch.Tensor"),
    "returns_a_list": ("return [1]", "wrong", "`y` is of type list; expected a torch.Tensor"),
    "returns_another_shape": ("return x.sum()", "wrong", "`y` has shape (); expected (3,)"),
    "returns_another_dtype": ("return 2 * x.double()", "wrong", "float64; expected float32"),
    "returns_nan": ("return x * float('nan')", "wrong", "NaN or infinite"),
    "returns_wrong_values": ("return x + 1", "wrong", "of its values are wrong"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_answer_costs_only_its_own_question(warm: Grader, name: str) -> None:
    body, status, sentence = SPOILED[name]
    result = verdict(warm, double=f"def double(x):\n    {body}")
    assert result.question("double").status == status
    assert result.question("double").score == 0.0
    assert sentence in messages(result, "double")
    assert result.question("triple").score == 5.0


def test_a_hang_inside_a_probe_alone_spares_the_other_questions(warm: Grader) -> None:
    body = "def double(x):\n    while len(x) > 1: pass\n    return 2 * x"
    result = verdict(warm, double=body)
    assert result.question("double").status == "timeout"
    assert result.question("triple").score == 5.0


def test_a_hang_is_waited_for_in_its_cell_and_when_it_is_looked_at_again(
    warm: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[type[AutograderError]] = []
    lost = Box._lost

    def noted(box: Box, error: AutograderError) -> BoxLost:
        ended.append(type(error))
        return lost(box, error)

    monkeypatch.setattr(Box, "_lost", noted)
    verdict(warm, triple="while True: pass")
    assert ended == [DeadlinePassed] * 2


def test_an_unanswered_question_says_so(warm: Grader, mini: Assignment) -> None:
    stub = next(cell.source for cell in mini.release.cells if cell.id == "double")
    result = verdict(warm, double=stub)
    assert result.question("double").status == "unanswered"
    assert "not answered" in messages(result, "double")


def test_an_answer_given_in_an_added_cell_counts(warm: Grader, mini: Assignment) -> None:
    notebook = answer(mini, triple="pass", double="double = (2.0).__mul__")
    notebook.cells[-1].source = "changed = True"
    extra = notebook.cells[0].copy()
    extra.update(id="extra", source="triple = lambda x: 3 * x", metadata={})
    notebook.cells.append(extra)
    assert warm.grade(notebook, "x").result.question("triple").score == 5.0


@pytest.mark.parametrize("triple", ["import os; os._exit(0)", "while True: pass"])
def test_what_an_added_cell_makes_of_an_answer_counts_though_another_breaks_the_box(
    warm: Grader, mini: Assignment, triple: str
) -> None:
    submission = answer(mini, double="def double(x):\n    return 3 * x", triple=triple)
    place = [cell.id for cell in submission.cells].index("check_double")
    patch = "double.__code__ = (lambda x: 2 * x).__code__"
    submission.cells.insert(place + 1, nbformat.v4.new_code_cell(patch))
    result = warm.grade(submission, "x").result
    assert [(q.slug, q.score) for q in result.questions] == [("double", 5.0), ("triple", 0.0)]


def test_a_missing_name_is_named(warm: Grader) -> None:
    assert "`double` is not defined" in messages(verdict(warm, double="dubble = 2"), "double")


def test_a_syntax_error_is_an_error_of_its_question_only(warm: Grader) -> None:
    result = verdict(warm, double="def double(x)\n    return 2 * x")
    assert result.question("double").status == "error"
    assert result.question("triple").status == "ok"


def test_warnings_and_much_output_cost_nothing_but_are_cut(warm: Grader) -> None:
    body = (
        "def double(x):\n    import sys, warnings\n    warnings.warn('w')\n"
        "    print('x' * 100_000)\n    print('e', file=sys.stderr)\n    return 2 * x"
    )
    result = verdict(warm, double=body)
    assert result.score == 10.0
    assert result.flags == ["the output of cell check_double was cut at 0.0625 MiB"]


def test_a_forged_score_earns_nothing(warm: Grader) -> None:
    body = "print('5.0')\ndouble = 5.0\n5.0"
    result = verdict(warm, double=body)
    assert result.question("double").score == 0.0


def test_an_added_cell_that_hangs_is_left_out_and_flagged(warm: Grader) -> None:
    result = verdict(warm, at_start="import time; time.sleep(60)")
    assert result.score == 10.0
    assert any(
        "Your own cell `import time; time.sleep(60)` ran out of time" in flag
        for flag in result.flags
    )


def test_cells_that_rest_on_an_answer_that_hung_are_left_out(tmp_path: Path) -> None:
    """A hang is waited for once in the cells, however many call the answer that hangs."""
    assignment = mini_assignment(tmp_path)
    release = assignment.release
    figures = {
        "doubled": "first = double(torch.ones(2))",
        "drawn": "print(first)",
        "tripled": "both = triple(torch.ones(2))",
        "all": "print(double(both))",
    }
    release.cells += [nbgrader_cell(name, source) for name, source in figures.items()]
    nbformat.write(release, assignment.release_path)
    with Grader(assignment, LIMITS) as grader:
        submission = answer(assignment, double="def double(x):\n    while True:\n        pass")
        added = nbformat.v4.new_code_cell("def quadruple(x):\n    return double(double(x))")
        submission.cells.append(added)
        graded = grader.grade(submission, "x")
    statuses = {question.slug: question.status for question in graded.result.questions}
    assert statuses == {"double": "timeout", "triple": "ok"}
    flags = "\n".join(graded.result.flags)
    assert flags.count("ran out of time: it may take 1.5 s") == 1
    resting = (
        "Cell doubled rests on double, which ran out of time. It was left out, and for the same"
    )
    assert f"{resting} reason cell drawn and cell all." in graded.result.flags
    shown = {cell.get("id"): cell.get("outputs") for cell in graded.notebook.cells}
    assert shown["all"][0].ename == "CellTimeoutError"
    assert shown["tripled"] == []


def test_patching_what_compares_changes_no_verdict(warm: Grader) -> None:
    patch = (
        "import torch, numpy, safetensors.torch\n"
        "torch.allclose = torch.equal = torch.isclose = lambda *a, **k: True\n"
        "torch.testing.assert_close = lambda *a, **k: None\n"
        "class Yes:\n    __eq__ = lambda self, other: True"
    )
    result = verdict(warm, at_start=patch, double="def double(x):\n    return x")
    assert result.question("double").score == 0.0
    assert result.question("triple").score == 5.0


def test_the_same_submission_gets_the_same_verdict_twice(warm: Grader) -> None:
    source = "import random\ndef double(x):\n    return x * random.choice([1, 2, 3])"
    first, second = (verdict(warm, double=source) for _ in range(2))
    assert first.questions == second.questions


def test_no_process_and_no_folder_is_left_behind(mini: Assignment, warm: Grader) -> None:
    verdict(warm, double="1 / 0")  # starts what stays as long as this process
    before = _children()
    with Grader(mini, LIMITS) as grader:
        verdict(grader, double="import subprocess; subprocess.Popen(['sleep', '60'])")
        verdict(grader, double="while True: pass")
    assert _children() == before
    assert _sleepers() == 0


def _children() -> set[str]:
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def _sleepers() -> int:
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += path.read_bytes() == b"sleep\x0060\x00"
        except OSError:
            continue
    return found


@pytest.mark.usefixtures("own_zygotes")
def test_a_zygote_that_died_is_replaced(mini: Assignment) -> None:
    with Grader(mini, LIMITS) as grader:
        grader.zygote._process.kill()
        assert verdict(grader).score == 10.0
        assert verdict(grader).score == 10.0


@pytest.mark.usefixtures("own_zygotes")
def test_a_submission_over_which_three_zygotes_die_is_the_graders_fault(tmp_path: Path) -> None:
    assignment = mini_assignment(tmp_path)
    path = assignment.check_file("double")
    fatal = "student._terms.zygote._process.kill()\n"
    start = "    x = torch.arange(3.0)\n"
    path.write_text(path.read_text().replace(start, f"    {fatal}{start}"))
    with (
        Grader(assignment, LIMITS) as grader,
        pytest.raises(Ungraded, match="crash: 3 zygotes ended while they graded it"),
    ):
        verdict(grader)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("expect_close(", "undefined(", "is broken: NameError"),
        ("@points(3)", "@points(4)", "worth 6 points, the release says 5"),
        ("import torch", "import no_such_module", "cannot be imported"),
    ],
)
def test_a_broken_check_is_the_graders_fault(tmp_path: Path, old: str, new: str, why: str) -> None:
    assignment = mini_assignment(tmp_path)
    path = assignment.check_file("double")
    path.write_text(path.read_text().replace(old, new))
    with Grader(assignment, LIMITS) as grader, pytest.raises(Ungraded, match=why):
        verdict(grader)


def test_a_question_without_a_check_file_is_the_courses_fault(tmp_path: Path) -> None:
    assignment = mini_assignment(tmp_path)
    assignment.check_file("double").unlink()
    with (
        Grader(assignment, LIMITS) as grader,
        pytest.raises(UsageError, match=r"has no check_double\.py"),
    ):
        verdict(grader)


def test_a_question_whose_solution_has_another_id_is_the_courses_fault(tmp_path: Path) -> None:
    """Right answers would get their points, and wrong ones break the grader."""
    assignment = mini_assignment(tmp_path)
    release = nbformat.read(assignment.release_path, as_version=4)
    (cell,) = [cell for cell in release.cells if cell.id == "double"]
    cell.metadata.nbgrader.grade_id = "cell-1f3a"
    nbformat.write(release, assignment.release_path)
    said = "the question double of mini has no solution cell whose id is double: give "
    with Grader(assignment, LIMITS) as grader, pytest.raises(UsageError, match=said):
        verdict(grader)


def test_a_check_file_without_checks_is_the_courses_fault(tmp_path: Path) -> None:
    assignment = mini_assignment(tmp_path)
    assignment.check_file("double").write_text("x = 1\n")
    with (
        Grader(assignment, LIMITS) as grader,
        pytest.raises(UsageError, match=r"^check_double\.py has no checks: it needs a Battery"),
    ):
        verdict(grader)


def test_the_text_of_a_plain_assert_never_reaches_the_student(tmp_path: Path) -> None:
    assignment = mini_assignment(tmp_path)
    path = assignment.check_file("double")
    path.write_text(path.read_text().replace("expect_close(", "assert not 'secret', ("))
    with Grader(assignment, LIMITS) as grader:
        said = messages(verdict(grader), "double")
    assert "secret" not in said
    assert "This does not hold: Every number is multiplied." in said


def test_a_grader_that_is_closed_while_it_grades_starts_no_other_zygote(mini: Assignment) -> None:
    grader = Grader(mini, Limits(cell_seconds=60))
    submission = answer(mini, double="import subprocess; subprocess.run(['sleep', '60'])")
    with ThreadPoolExecutor(1) as pool:
        grading = pool.submit(grader.grade, submission, "demo")
        while _sleepers() == 0:
            time.sleep(0.1)
        zygote = grader.zygote
        grader.close()
        with pytest.raises(ZygoteGone):
            grading.result()
    assert grader.zygote is zygote


def test_a_grader_that_is_closed_grades_no_more_and_leaves_no_modules(mini: Assignment) -> None:
    before = set(sys.modules)
    with Grader(mini, LIMITS) as grader:
        verdict(grader)
        assert any(name.endswith(".check_double") for name in set(sys.modules) - before)
    zygote = grader.zygote
    with pytest.raises(ZygoteGone):
        verdict(grader)
    assert grader.zygote is zygote
    assert not [name for name in set(sys.modules) - before if name.startswith("checks_")]
