"""`autograder batch --preview`: it says what the next run records, and leaves no trace."""

from __future__ import annotations

import hashlib
import math
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import ordinary_course
import pytest
from distributed import LocalCluster
from mini_course import MINI, MiniCourse, edit, make_course
from ordinary_course import RIGHT, source_notebook

from autograder.batch.preview import MOST_ROWS, preview, preview_table
from autograder.batch.run import Workers, batch
from autograder.cli import main
from autograder.course.assignments import Course
from autograder.course.gradebook import Entry, Grade, read_gradebook
from autograder.errors import UsageError
from autograder.farm import local as farm
from autograder.pages.preview.changes import Preview, Recorded, preview_of

TWO = Workers(jobs=2)
LATE = """c.AssignLatePenalties.plugin_class = "autograder.nbgrader.late.PercentPerDay"
c.PercentPerDay.percent = 10
"""
DUE = "2026-05-01 12:00 UTC"
ABSOLUTE = "def triple(x):\n    return 3 * x.abs()"
FOURFOLD = "def triple(x):\n    return 4 * x"
OURS = ("reports", ".cache")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_course(tmp_path_factory.mktemp("template"), LATE)


@pytest.fixture
def mini(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MiniCourse:
    folder = Path(shutil.copytree(template, tmp_path / "course"))
    monkeypatch.chdir(folder)
    return MiniCourse(folder)


@pytest.fixture
def scheduler() -> Iterator[str]:
    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address="127.0.0.1:0",
        silence_logs=50,
    ) as cluster:
        yield cluster.scheduler_address


def digests(folder: Path) -> dict[str, str]:
    """Of every file of the course but pages and caches."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] not in OURS
    }


def dump(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "gradebook.db")) as connection:
        return list(connection.iterdump())


def noted(folder: Path) -> dict[str, str]:
    """What says, for later runs, what was recorded and graded: verdicts in the cache aside."""
    log = folder / ".cache" / "batch" / MINI / "log.jsonl"
    lines = [line for line in log.read_text().splitlines() if '"student"' in line]
    seen = (folder / ".cache" / "autograded").rglob("*")
    return {"log": "\n".join(lines)} | {str(p): p.read_text() for p in seen if p.is_file()}


def by_hand(mini: MiniCourse, student: str, score: float) -> None:
    with mini.gradebook() as gradebook:
        grade = gradebook.find_grade("check_triple", MINI, MINI, student)
        grade.manual_score, grade.needs_manual_grade = score, False
        gradebook.find_comment("triple", MINI, MINI, student).manual_comment = "as we said"
        gradebook.db.commit()


def entries(mini: MiniCourse) -> dict[str, Entry]:
    found = read_gradebook(f"sqlite:///{mini.folder}/gradebook.db", MINI)
    assert found is not None
    return found.entries


def expect_equal(mini: MiniCourse, found: Preview) -> None:
    """Each row is what was recorded, verdict included."""
    recorded = entries(mini)
    assert {row.student: row.after.entry for row in found.rows if row.after} == recorded
    for row in found.rows:
        if row.after and not row.reason:
            assert row.after.result == mini.result(row.student), row.student


def a_term(mini: MiniCourse) -> None:
    """A recorded class, then another price, another check, new submissions, and a refused one."""
    with mini.gradebook() as gradebook:
        gradebook.update_or_create_assignment(MINI, duedate=DUE)
    for student, answer in [
        ("demo-gains", ABSOLUTE),
        ("demo-gains-late", ABSOLUTE),
        ("demo-by-hand", ABSOLUTE),
        ("demo-loses", FOURFOLD.replace("4 * x", "3 * x.float()")),
    ]:
        mini.hand_in(student, triple=answer)
    for student in ("demo-keeps", "demo-kept-by-hand", "demo-spoilt", "demo-full-disk"):
        mini.hand_in(student, triple=FOURFOLD)
    late = mini.notebook_path("demo-gains-late").with_name("timestamp.txt")
    late.write_text("2026-05-02 10:00 UTC")
    batch(mini.course, MINI, TWO)
    by_hand(mini, "demo-by-hand", 4.5)
    by_hand(mini, "demo-kept-by-hand", 2.0)
    batch(mini.course, MINI, TWO)
    mini.notebook_path("demo-spoilt").unlink()
    mini.hand_in("demo-new")
    checks = mini.folder / "checks" / MINI / "check_triple.py"
    edit(checks, "points(3)", "points(4)")
    edit(checks, "points(2)", "points(1)")
    edit(checks, "x = torch.arange(3.0)", "x = torch.arange(3)")


def test_what_a_preview_says_is_recorded_row_by_row_and_nothing_before(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    a_term(mini)
    write_result = Mock(side_effect=_full_disk)
    monkeypatch.setattr("autograder.nbgrader.preprocessors.write_result", write_result)
    before = digests(mini.folder), dump(mini.folder), noted(mini.folder)
    assert main(["batch", MINI, "--jobs", "2", "--preview"]) == 3
    assert (digests(mini.folder), dump(mini.folder), noted(mini.folder)) == before
    said = capsys.readouterr()
    assert "1 refused, 1 ungraded; scores by hand to look at again: 1" in said.out
    assert "demo-full-disk: nbgrader could not record it: OSError: full" in said.err

    monkeypatch.setattr(farm, "local_farm", Mock(side_effect=AssertionError("all is graded")))
    found, tally = preview(mini.course, MINI, TWO)
    assert (digests(mini.folder), dump(mini.folder), noted(mini.folder)) == before
    assert not list((mini.folder / ".cache" / "batch" / MINI).glob("rehearsal-*"))

    really = batch(mini.course, MINI, TWO)
    assert sorted(really.recorded) == sorted(tally.recorded)
    assert really.failures == tally.failures
    expect_equal(mini, found)
    with mini.gradebook() as gradebook:
        for student in ("demo-by-hand", "demo-kept-by-hand"):
            comment = gradebook.find_comment("triple", MINI, MINI, student)
            assert comment.manual_comment == "as we said"


def _full_disk(folder: Path, result: object) -> None:
    from autograder.results.stored import write_result

    if "demo-full-disk" in str(folder):
        raise OSError("full")
    write_result(folder, result)  # type: ignore[arg-type]


def test_a_preview_tells_gains_losses_penalties_and_doubtful_scores(mini: MiniCourse) -> None:
    a_term(mini)
    found, _ = preview(mini.course, MINI, TWO)
    rows = {row.student: row for row in found.rows}
    told = {
        name: (row.change, [one.slug for one in row.doubtful])
        for name, row in rows.items()
        if row.has_changed
    }
    assert told == {
        "demo-gains": (1.0, []),
        "demo-gains-late": (pytest.approx(0.9), []),
        "demo-by-hand": (0.0, ["triple"]),
        "demo-loses": (-4.0, []),
        "demo-new": (0.0, []),
    }
    assert rows["demo-new"].is_new
    assert (len(found.stay), [row.student for row in found.lose]) == (4, ["demo-loses"])
    assert rows["demo-spoilt"].reason
    [gains] = rows["demo-gains"].questions
    assert (gains.before, gains.after, gains.by_hand) == (3.0, 4.0, None)
    assert [check.said for check in gains.checks] == ["3 to 4 points"]
    loses = [check.said for check in rows["demo-loses"].questions[0].checks]
    assert loses == ["now failed", "2 to 1 points"]
    assert rows["demo-by-hand"].questions[0].by_hand == 4.5
    [effect] = found.questions
    assert (effect.slug, effect.gain, effect.lose) == ("triple", 3, 1)
    said = preview_table(found)
    assert "demo-loses" in said.splitlines()[2]
    assert "2 would gain, 1 lose, 4 keep their total, 1 would be new, 1 refused" in said
    assert "look again at triple" in said


def test_fresh_and_a_scheduler_mean_what_they_mean_without_a_preview(
    mini: MiniCourse, scheduler: str, capsys: pytest.CaptureFixture[str]
) -> None:
    mini.hand_in("demo-right")
    assert main(["batch", MINI, "--scheduler", scheduler, "--preview"]) == 0
    assert "1 would be new" in capsys.readouterr().out
    assert mini.scores() == {}
    batch(mini.course, MINI, TWO)
    before = digests(mini.folder), dump(mini.folder)
    found, tally = preview(mini.course, MINI, TWO)
    assert (tally.unchanged, found.changed) == (["demo-right"], [])
    found, tally = preview(mini.course, MINI, TWO, fresh=True)
    assert (tally.recorded, found.changed) == (["demo-right"], [])
    assert (digests(mini.folder), dump(mini.folder)) == before


def test_a_change_taken_back_after_a_preview_costs_nothing(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini.hand_in("demo-right")
    batch(mini.course, MINI, TWO)
    mini.notebook_path("demo-right").with_name("timestamp.txt").write_text(DUE)
    checks = mini.folder / "checks" / MINI / "check_triple.py"
    edit(checks, "points(3)", "points(4)")
    edit(checks, "points(2)", "points(1)")
    preview(mini.course, MINI, TWO)
    edit(checks, "points(4)", "points(3)")
    edit(checks, "points(1)", "points(2)")
    monkeypatch.setattr(farm, "local_farm", Mock(side_effect=AssertionError("nothing may run")))
    assert batch(mini.course, MINI, TWO).recorded == ["demo-right"]


def test_an_assignment_without_checks_is_previewed_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ordinary_course.make_course(tmp_path, {"ps1": {"p1": source_notebook()}})
    monkeypatch.chdir(folder)
    ordinary_course.hand_in(folder, "demo-right", RIGHT)
    ordinary_course.hand_in(folder, "demo-wrong", RIGHT.replace("42", "43"))
    before = digests(folder), dump(folder)
    assert main(["batch", "ps1", "--preview"]) == 0
    assert "2 would be new" in capsys.readouterr().out
    assert (digests(folder), dump(folder)) == before
    found, _ = preview(Course(folder), "ps1", TWO)
    batch(Course(folder), "ps1", TWO)
    url = f"sqlite:///{folder}/gradebook.db"
    recorded = read_gradebook(url, "ps1")
    assert recorded is not None
    assert {row.student: row.after and row.after.entry for row in found.rows} == recorded.entries


def test_a_rehearsal_that_was_killed_leaves_nothing_for_good(mini: MiniCourse) -> None:
    mini.hand_in("demo-right")
    left = mini.folder / ".cache" / "batch" / MINI / "rehearsal-old"
    left.mkdir(parents=True)
    (left / "gradebook.db").write_text("half a copy")
    preview(mini.course, MINI, TWO)
    assert not left.exists()


def test_what_a_course_does_after_recording_is_not_done_after_a_preview(mini: MiniCourse) -> None:
    hook = (
        "def tell(**_):\n    open('told', 'a').close()\n\n\nc.Autograde.post_convert_hook = tell\n"
    )
    with (mini.folder / "nbgrader_config.py").open("a") as config:
        config.write(f"\n{hook}")
    mini.hand_in("demo-right")
    found, _ = preview(mini.course, MINI, TWO)
    assert not (mini.folder / "told").exists()
    batch(mini.course, MINI, TWO)
    assert (mini.folder / "told").exists()
    expect_equal(mini, found)


def test_messages_of_a_preview_that_cannot_be_made(
    mini: MiniCourse, capsys: pytest.CaptureFixture[str]
) -> None:
    mini.hand_in("demo-right")
    assert main(["batch", MINI, "--preview", "--report"]) == 2
    assert "leave them away" in capsys.readouterr().err
    (mini.folder / "reports").write_text("")
    assert main(["batch", MINI, "--preview", "--jobs", "1"]) == 2
    assert "cannot write" in capsys.readouterr().err
    structure = "{assignment_id}/{nbgrader_step}/{student_id}"
    with (mini.folder / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.CourseDirectory.directory_structure = {structure!r}\n")
    target = mini.folder / MINI / "submitted" / "demo-right"
    target.mkdir(parents=True)
    shutil.copy(mini.notebook_path("demo-right"), target)
    with pytest.raises(UsageError, match="let it begin with"):
        preview(mini.course, MINI, TWO)


def an_entry(score: float, questions: str = "q") -> Recorded:
    grades = [Grade("p1", f"check_{one}", score, None, None, False, 10.0) for one in questions]
    return Recorded(Entry(None, 0.0, "", grades, []), None)


def test_the_table_in_the_terminal_is_short_and_says_how_many_more_there_are() -> None:
    before = {f"demo-{place:02}": an_entry(5.0) for place in range(30)}
    after = {**before, **{f"demo-{place:02}": an_entry(place / 4) for place in range(28)}}
    found = preview_of("ps1", before, after, {}, {})
    lines = preview_table(found).splitlines()
    assert len(found.changed) == 27
    assert len(lines) == 2 + MOST_ROWS + 2
    assert lines[-2] == "and 7 more, on the page"
    assert lines[2].split() == ["demo-00", "5", "to", "0", "5", "to", "0", "-5", "q", "-5"]


def test_of_a_student_with_many_changes_the_table_tells_three() -> None:
    before, after = an_entry(5.0, "abcde"), an_entry(4.0, "abcde")
    said = preview_table(preview_of("ps1", {"demo-a": before}, {"demo-a": after}, {}, {}))
    assert "a -1, b -1, c -1, 2 more" in said


def test_the_same_points_added_in_another_order_are_no_change() -> None:
    before, after = an_entry(0.1 + 0.2 + 0.3), an_entry(0.3 + 0.2 + 0.1)
    assert before.automatic != after.automatic
    assert preview_of("ps1", {"demo-a": before}, {"demo-a": after}, {}, {}).changed == []


MORE_CHECKS = """

@points({0})
def check_two(student: Student) -> None:
    expect_close(student.run(run, x=torch.ones(2)), "y", 3 * torch.ones(2))


@points({1})
def check_four(student: Student) -> None:
    expect_close(student.run(run, x=torch.ones(4)), "y", 3 * torch.ones(4))
"""


def test_only_scores_by_hand_whose_automatic_score_changes_are_flagged(mini: MiniCourse) -> None:
    checks = mini.folder / "checks" / MINI / "check_triple.py"
    text = checks.read_text().replace("points(2)", "points(4.4)")
    checks.write_text(text.replace("points(3)", "points(0.1)") + MORE_CHECKS.format(0.2, 0.3))
    mini.hand_in("demo-same", triple=ABSOLUTE)
    of_three = "def triple(x):\n    return 3 * x if x.tolist() == [0, 1, 2] else x"
    mini.hand_in("demo-other", triple=of_three)
    batch(mini.course, MINI, TWO)
    for student in ("demo-same", "demo-other"):
        by_hand(mini, student, 1.0)
    before = entries(mini)["demo-same"].grade("triple")
    with mini.gradebook() as gradebook:  # as sums were recorded before they were rounded
        grade = gradebook.find_grade("check_triple", MINI, MINI, "demo-same")
        grade.auto_score = math.nextafter(grade.auto_score, 1)
        gradebook.db.commit()
    checks.write_text(text.replace("points(3)", "points(0.3)") + MORE_CHECKS.format(0.2, 0.1))
    found, _ = preview(mini.course, MINI, TWO)
    batch(mini.course, MINI, TWO)
    recorded = entries(mini)
    flagged = {student for student, entry in recorded.items() if entry.look_again}
    assert flagged == {"demo-other"} == {row.student for row in found.doubtful}
    assert found.flagged == 1
    assert before is not None
    assert recorded["demo-same"].grade("triple") == before  # checks added in another order
