"""Cells that a student added may be slow: they cost no answer that stands without them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import nbformat
import pytest
from mini import answer, mini_assignment, write_source
from nbformat import NotebookNode

from autograder.course.assignments import Assignment
from autograder.course.limits import Limits
from autograder.grading.grader import Grader
from autograder.grading.own_time import SHARE, OwnCells, OwnTime
from autograder.grading.run_of_cells import Terms
from autograder.grading.session import Session
from autograder.grading.turns import KEPT, Turns
from autograder.grading.under_way import LOOKS_SHARE
from autograder.intake.submission import repair
from autograder.results.model import SubmissionResult
from autograder.results.sentences import own_cells_left_out, own_cells_over

LIMITS = Limits(cell_seconds=1.2, probe_seconds=3, submission_seconds=6)
SLOW = "import time\ntime.sleep(0.9)"
TOO_SLOW = "import time\ntime.sleep(60)"
CRASHES = "import os\nos._exit(0)"
RESTS = "def triple(x):\n    return double(x) + x"
LEFT_OUT = own_cells_left_out(SHARE * LIMITS.submission_seconds)


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    assignment = mini_assignment(tmp_path_factory.mktemp("course"))
    write_source(assignment)
    return assignment


@pytest.fixture(scope="module")
def grader(mini: Assignment) -> Iterator[Grader]:
    with Grader(mini, LIMITS) as warm:
        yield warm


def added(notebook: NotebookNode, sources: Sequence[str], above: str = "") -> NotebookNode:
    """A submission with cells of the student's own above one of its cells, or at its end."""
    places = [n for n, cell in enumerate(notebook.cells) if cell.id == above]
    at = places[0] if above else len(notebook.cells)
    notebook.cells[at:at] = [nbformat.v4.new_code_cell(source) for source in sources]
    return notebook


def graded(grader: Grader, submission: NotebookNode) -> SubmissionResult:
    return grader.grade(submission, "x").result


def statuses(result: SubmissionResult) -> dict[str, str]:
    return {question.slug: question.status for question in result.questions}


@pytest.mark.parametrize("above", ["", "double", "triple"], ids=["after", "before", "between"])
@pytest.mark.parametrize(
    "sources",
    [[SLOW] * 9, [SLOW] * 2 + [TOO_SLOW] * 4, [SLOW] * 2 + [CRASHES] * 5],
    ids=["slow", "over the limit", "crashing"],
)
def test_slow_cells_cost_no_answer(
    grader: Grader, mini: Assignment, above: str, sources: Sequence[str]
) -> None:
    """Together they would take more than the whole submission may, or so would their replays."""
    result = graded(grader, added(answer(mini), sources, above))
    assert statuses(result) == {"double": "ok", "triple": "ok"}
    assert result.flags.count(LEFT_OUT) == 1
    assert not [flag for flag in result.flags if "No time was left" in flag]


def test_slow_cells_that_one_answer_rests_on_cost_no_other(
    grader: Grader, mini: Assignment
) -> None:
    names = [f"a{n}" for n in range(9)]
    sources = [f"{SLOW}\n{name} = 0" for name in names]
    triple = f"def triple(x):\n    return 3 * x + {' + '.join(names)}"
    submission = added(answer(mini, triple=triple), sources, "double")
    result = graded(grader, submission)
    assert statuses(result) == {"double": "ok", "triple": "timeout"}
    (said,) = {check.message for check in result.question("triple").checks}
    assert "the whole notebook may take 6 s." in said


def test_second_looks_have_a_third_more_time_at_most(
    grader: Grader, mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadlines: list[float] = []
    init = Session.__init__

    def noting(session: Session, terms: Terms, notebook: NotebookNode) -> None:
        assert terms.deadline is not None
        deadlines.append(terms.deadline)
        init(session, terms, notebook)

    monkeypatch.setattr(Session, "__init__", noting)
    sources = [f"{SLOW}\na{n} = 0" for n in range(9)]
    uses = " + ".join(f"a{n}" for n in range(9))
    wrong = f"def double(x):\n    return 0 * x + {uses}"
    graded(grader, added(answer(mini, double=wrong, triple=RESTS), sources, "double"))
    first, *later = deadlines
    more = max(later) - first
    assert 0 < more < LOOKS_SHARE * LIMITS.submission_seconds + 1.5  # that it waited for its turn


def test_an_answer_that_is_slow_by_itself_costs_no_later_one(
    grader: Grader, mini: Assignment
) -> None:
    """Nor does it keep those from being looked at that the whole run had no time for."""
    hangs = "def double(x):\n    while True: pass"
    sources = [f"{SLOW}\na{n} = 0" for n in range(9)]
    uses = "\n".join(f"    a{n}" for n in range(9))
    submission = added(answer(mini, double=f"{hangs}\n{uses}"), sources, "double")
    assert statuses(graded(grader, submission)) == {"double": "timeout", "triple": "ok"}


def test_slow_cells_leave_second_runs_their_time(grader: Grader, mini: Assignment) -> None:
    wrong = "def double(x):\n    return 0 * x + 1"
    submission = added(answer(mini, double=wrong, triple=RESTS), [SLOW] * 3, "double")
    assert statuses(graded(grader, submission)) == {"double": "wrong", "triple": "ok"}


def test_the_same_holds_where_one_question_is_checked(grader: Grader, mini: Assignment) -> None:
    repaired = repair(added(answer(mini), [SLOW] * 9, "double"), mini.release)
    assert grader.check_repaired(repaired, "double").status == "ok"
    repaired = repair(added(answer(mini), [SLOW] * 9, "triple"), mini.release)
    assert grader.check_in_whole(repaired, "triple").status == "ok"


def test_what_is_brief_and_what_answers_rest_on_is_replayed(
    grader: Grader, mini: Assignment
) -> None:
    """A name that reading the cells does not show, and a cell of which too much time is over."""
    hidden = "globals()['fac' + 'tor'] = 3"
    helper = f"{SLOW}\ndef times(x, n):\n    return x * n"
    uses = "def triple(x):\n    return times(x, globals()['fac' + 'tor'])"
    first = [hidden, *[SLOW] * 4, helper]
    result = graded(grader, added(answer(mini, triple=uses), first, "double"))
    assert statuses(result) == {"double": "ok", "triple": "ok"}


def test_a_cell_that_was_ended_for_want_of_its_own_time_is_told_so(mini: Assignment) -> None:
    with Grader(mini, replace(LIMITS, cell_seconds=5)) as grader:
        flags = graded(grader, added(answer(mini), [TOO_SLOW])).flags
    assert flags[0] == (
        "Your own cell `import time` ran out of time: the cells that you added may take 2 s "
        "together. It was left out."
    )


def test_ordinary_cells_are_left_alone(grader: Grader, mini: Assignment) -> None:
    result = graded(grader, added(answer(mini), ["1 + 1", "double(2)"] * 20, "triple"))
    assert (statuses(result), result.flags) == ({"double": "ok", "triple": "ok"}, [])


def test_who_had_no_time_is_told_who_took_it(mini: Assignment) -> None:
    """Cells that an answer rests on run, and have taken all time before it begins."""
    triple = "def triple(x):\n    return 3 * x + a + b"
    sources = [f"import time\ntime.sleep(3)\n{name} = 0" for name in "ab"]
    with Grader(mini, replace(LIMITS, cell_seconds=4, submission_seconds=5)) as grader:
        submission = added(answer(mini, triple=triple), sources, "double")
        flags = grader.grade(submission, "x").result.flags
    told = r"No time was left for cell \w+: the cells that you added took \d+ s, and the whole "
    left_out = [f for f in flags if re.match(f"{told}notebook may take 5 s. It was left out", f)]
    assert "cell triple" in "".join(left_out), flags


def test_what_had_no_time_to_begin_is_kept_for_a_second_look(
    grader: Grader, mini: Assignment
) -> None:
    with grader.session(answer(mini), deadline=time.monotonic()) as session:
        session.run_cells()
    assert [cell.id for cell in session.kept_cells] == ["imports", "double", "triple"]


@pytest.mark.parametrize(
    ("seconds", "told"), [(1200.0, "1200 s"), (66.666, "66.7 s"), (2.0, "2 s")]
)
def test_seconds_are_told_as_people_write_them(seconds: float, told: str) -> None:
    assert f" {told} " in own_cells_left_out(seconds)
    assert f" {told} " in own_cells_over("Your own cell", seconds)


def test_own_time_is_counted_for_cells_of_the_students_own() -> None:
    own_time = OwnTime(9.0)
    here = OwnCells(own_time, lambda: {"added-2"})
    first, second, given = (cell(name) for name in ("added-1", "added-2", "imports"))
    here.note(given, 50.0, lost=False)
    assert not own_time.is_over
    assert here.deadline(first, 1e9, cell_seconds=2.0) == 1e9
    here.note(first, 2.0, lost=False)
    assert here.deadline(first, 1e9, cell_seconds=2.0) <= time.monotonic() + 1.0
    assert here.deadline(second, 1e9, cell_seconds=2.0) == 1e9
    here.note(second, 1.0, lost=False)
    left_out = [here.leaves_out(one) for one in (first, second, given, cell("added-3"))]
    assert left_out == [True, False, False, True]


def test_what_cost_a_box_is_left_out_of_later_ones() -> None:
    own_time = OwnTime(9.0)
    OwnCells(own_time, frozenset).note(cell("added-1"), 0.001, lost=True)
    assert OwnCells(own_time, frozenset).leaves_out(cell("added-1"))
    assert not OwnCells(own_time, lambda: {"added-1"}).leaves_out(cell("added-1"))


def test_each_turn_leaves_a_share_to_those_that_follow() -> None:
    now = time.monotonic()
    turns = Turns(now + 80, 4)
    assert turns.end == pytest.approx(now + 80 * (1 - KEPT), abs=4)
    ends = [turns.next() - now for _ in range(4)]
    assert ends == pytest.approx([50, 60, 70, 80], abs=4)


def cell(name: str) -> NotebookNode:
    return nbformat.v4.new_code_cell("", id=name)
