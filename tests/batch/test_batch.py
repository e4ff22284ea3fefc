"""`autograder batch`: a whole class graded in parallel, recorded, and never run twice."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import nbformat
import pytest
from distributed import LocalCluster
from filelock import FileLock
from mini_course import MINI, MiniCourse, edit, make_course
from nbgrader.coursedir import CourseDirectory

from autograder.batch import run
from autograder.batch.log import Log
from autograder.batch.run import Workers, batch
from autograder.batch.tally import Progress, Tally
from autograder.box.outside.zygotes import Zygote
from autograder.cli import main
from autograder.course.folders import DEFAULTS, Folders
from autograder.course.settings import read_config
from autograder.farm import workers as farm

TRIPLE = "def triple(x):\n    return x * 3"
HANGING = "def double(x):\n    while True:\n        pass"
DEADLY = "def double(x):\n    return 666 + x"
TWO = Workers(jobs=2)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_course(tmp_path_factory.mktemp("template"))


@pytest.fixture
def mini(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MiniCourse:
    folder = Path(shutil.copytree(template, tmp_path / "course"))
    monkeypatch.chdir(folder)
    return MiniCourse(folder)


def test_who_hands_in_anew_while_a_kept_verdict_is_recorded_is_recorded_too(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini.hand_in("demo-a")
    batch(mini.course, MINI, TWO)
    shutil.rmtree(mini.folder / "autograded")  # so that what the cache keeps is recorded again
    grade = run.Run._grade

    def late(self: run.Run, workers: Workers) -> None:
        assert self.kept == ["demo-a"]
        mini.hand_in("demo-a", triple="def triple(x):\n    return 4 * x")
        grade(self, workers)

    monkeypatch.setattr(run.Run, "_grade", late)
    assert batch(mini.course, MINI, TWO).recorded == ["demo-a"]
    assert mini.scores() == {"demo-a": 5.0}


def test_workers_of_this_machine_are_lent_one_zygote(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    lent: list[Zygote] = []
    lend = Zygote.lend

    def noted(zygote: Zygote, connection: socket.socket) -> None:
        lent.append(zygote)
        lend(zygote, connection)

    monkeypatch.setattr(Zygote, "lend", noted)
    for student in "abcd":
        mini.hand_in(f"demo-{student}")
    assert len(batch(mini.course, MINI, TWO).recorded) == 4
    assert len(lent) == 2
    assert len(set(lent)) == 1


def test_the_head_never_loads_torch(mini: MiniCourse) -> None:
    mini.hand_in("demo-a")
    head = "import sys; from autograder.cli import main; main(sys.argv[1:]); "
    command = [sys.executable, "-c", head + "print('torch' in sys.modules)"]
    command += ["batch", MINI, "--jobs", "1"]
    done = subprocess.run(command, cwd=mini.folder, capture_output=True, text=True, check=True)
    assert "1 graded and recorded" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a scheduler with a worker of its own, as on a cluster."""
    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address="127.0.0.1:0",
        silence_logs=50,
    ) as cluster:
        yield cluster.scheduler_address


def test_a_class_is_graded_once_and_again_only_where_something_changed(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini.hand_in("demo-right")
    mini.hand_in("demo-wrong", triple="def triple(x):\n    return 4 * x")
    mini.hand_in("demo-clock", added="import time\ntime.time_ns()")
    assert len(batch(mini.course, MINI, TWO).recorded) == 3
    assert mini.scores() == {"demo-right": 10.0, "demo-wrong": 5.0, "demo-clock": 10.0}
    assert mini.result("demo-wrong").question("triple").status == "wrong"
    assert mini.result("demo-wrong").submission == f"demo-wrong/{MINI}"

    with monkeypatch.context() as patch:
        patch.setattr(farm, "local_farm", Mock(side_effect=AssertionError("nothing may run")))
        again = batch(mini.course, MINI, TWO)
    assert (again.recorded, sorted(again.unchanged)) == ([], sorted(mini.scores()))

    mini.hand_in("demo-wrong", triple=TRIPLE)
    once_more = batch(mini.course, MINI, TWO)
    assert (once_more.recorded, len(once_more.unchanged)) == (["demo-wrong"], 2)
    assert mini.scores()["demo-wrong"] == 10.0

    edit(mini.folder / "checks" / MINI / "check_double.py", "points(2)", "points(1)")
    edit(mini.folder / "checks" / MINI / "check_double.py", "points(3)", "points(4)")
    stamp = _clock(mini)
    assert len(batch(mini.course, MINI, TWO).recorded) == 3
    assert mini.result("demo-right").question("double").checks[0].points == 4.0
    assert _clock(mini) != stamp

    stamp = _clock(mini)
    assert len(batch(mini.course, MINI, TWO, fresh=True).recorded) == 3
    assert _clock(mini) != stamp


def _clock(mini: MiniCourse) -> str:
    """What the cell that tells the time said when it ran."""
    notebook = nbformat.read(mini.notebook_path("demo-clock", "autograded"), as_version=4)
    return str(notebook.cells[-1].outputs[0].data["text/plain"])


def test_recording_takes_the_notebook_that_ran_on_the_worker(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini.hand_in("demo-clock", added="import time\ntime.time_ns()")
    mini.hand_in("demo-hangs", double=HANGING)
    edit(mini.folder / "nbgrader_config.py", "c.Execute.timeout = 20", "c.Execute.timeout = 2")
    monkeypatch.setattr("autograder.grading.warm.ready_grader", Mock(side_effect=AssertionError))
    assert len(batch(mini.course, MINI, TWO).recorded) == 2
    assert mini.result("demo-hangs").question("double").status == "timeout"
    stamp = _clock(mini)

    mini.notebook_path("demo-clock").with_name("timestamp.txt").write_text("2026-05-01 10:00 UTC")
    assert batch(mini.course, MINI, TWO).recorded == ["demo-clock"]
    assert _clock(mini) == stamp
    with mini.gradebook() as gradebook:
        assert gradebook.find_submission(MINI, "demo-clock").timestamp.month == 5


def test_what_was_lost_is_recorded_again_without_running(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini.hand_in("demo-right")
    batch(mini.course, MINI, TWO)
    first = mini.result("demo-right")
    monkeypatch.setattr(farm, "local_farm", Mock(side_effect=AssertionError("nothing may run")))

    with mini.gradebook() as gradebook:
        gradebook.remove_submission(MINI, "demo-right")
    assert batch(mini.course, MINI, TWO).recorded == ["demo-right"]
    shutil.rmtree(mini.folder / "autograded")
    assert batch(mini.course, MINI, TWO).recorded == ["demo-right"]
    assert mini.result("demo-right") == first
    assert mini.scores() == {"demo-right": 10.0}
    shutil.rmtree(mini.folder / ".cache" / "graded")
    assert batch(mini.course, MINI, TWO).unchanged == ["demo-right"]


def test_a_manual_score_and_comment_survive_and_are_flagged(mini: MiniCourse) -> None:
    mini.hand_in("demo-right", triple="def triple(x):\n    return 4 * x")
    mini.hand_in("demo-other")
    batch(mini.course, MINI, TWO)
    with mini.gradebook() as gradebook:
        grade = gradebook.find_grade("check_triple", MINI, MINI, "demo-right")
        grade.manual_score, grade.needs_manual_grade = 4.0, False
        gradebook.find_comment("triple", MINI, MINI, "demo-right").manual_comment = "nearly"
        gradebook.db.commit()

    assert batch(mini.course, MINI, TWO).recorded == ["demo-right"]
    assert batch(mini.course, MINI, TWO).recorded == []
    with mini.gradebook() as gradebook:
        assert not gradebook.find_submission(MINI, "demo-right").needs_manual_grade

    mini.hand_in("demo-right", triple=TRIPLE)
    assert batch(mini.course, MINI, TWO).recorded == ["demo-right"]
    with mini.gradebook() as gradebook:
        grade = gradebook.find_grade("check_triple", MINI, MINI, "demo-right")
        assert (grade.auto_score, grade.manual_score, grade.needs_manual_grade) == (5.0, 4.0, True)
        comment = gradebook.find_comment("triple", MINI, MINI, "demo-right")
        assert comment.manual_comment == "nearly"
        assert not gradebook.find_submission(MINI, "demo-other").needs_manual_grade


def test_what_cannot_be_read_is_refused_and_the_others_are_graded(
    mini: MiniCourse, capsys: pytest.CaptureFixture[str]
) -> None:
    right = mini.hand_in("demo-right")
    shutil.copy(right, right.with_name("mini (1).ipynb"))
    mini.hand_in("demo-text").write_text("no notebook")
    linked = mini.hand_in("demo-link")
    linked.rename(linked.with_suffix(".bak"))
    linked.symlink_to(linked.with_suffix(".bak"))
    mini.hand_in("demo-stamp").with_name("timestamp.txt").write_text("2026" * 999)
    mini.hand_in("demo-empty").unlink()
    unfound = ("demo-[right]", ".demo-hidden", "demo-space ", "demo-\nline")
    for student in unfound:
        mini.hand_in(student)
    assert main(["batch", MINI, "--jobs", "2"]) == 2
    said = capsys.readouterr()
    *scores, last = said.out.splitlines()
    assert last == "mini: 1 graded and recorded, 0 unchanged, 8 refused, 0 ungraded"
    assert scores[0].split() == ["student", "double", "triple", "late", "total", "note"]
    assert scores[2].split() == ["demo-right", "5", "5", "0", "10"]
    assert len(scores) == 3
    beside = "demo-right: only one notebook was graded, and these lie beside it: mini (1).ipynb"
    assert beside in said.err
    assert "demo-text: demo-text/mini.ipynb is not a Jupyter notebook" in said.err
    assert "mini.ipynb is a link: submit the notebook itself" in said.err
    assert "demo-stamp/mini/timestamp.txt holds no time: write one as 2026-" in said.err
    assert "demo-empty/mini/mini.ipynb is missing, and the folder holds no notebook" in said.err
    assert "demo-[right] for a pattern: rename it, without any of * ? [" in said.err
    for student in unfound[1:]:
        folder = str(mini.folder / "submitted" / student)
        assert f"nbgrader does not find the folder {folder!r}: rename it" in said.err
    assert mini.scores() == {"demo-right": 10.0}


def test_a_submission_on_which_three_workers_die_is_a_crash_and_the_others_are_graded(
    mini: MiniCourse,
) -> None:
    edit(
        mini.folder / "checks" / MINI / "check_double.py",
        '    expect_close(student.run(run, x=x), "y", 2 * x)\n\n\n@points(2)',
        "    reply = student.run(run, x=x)\n"
        '    if float(reply.tensor("y").sum()) > 600:\n'
        "        import os, signal\n\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        '    expect_close(reply, "y", 2 * x)\n\n\n@points(2)',
    )
    mini.hand_in("demo-deadly", double=DEADLY)
    for number in range(4):
        mini.hand_in(f"demo-{number}")
    tally = batch(mini.course, MINI, TWO)
    assert len(tally.recorded) == 4
    assert tally.ungraded == {"demo-deadly": "crash: 3 workers died while they graded it"}
    assert "demo-deadly" not in mini.scores()


def test_a_scheduler_elsewhere_grades_without_the_course_at_hand(
    mini: MiniCourse, scheduler: str, capsys: pytest.CaptureFixture[str]
) -> None:
    mini.hand_in("demo-right")
    shared = mini.folder / "checks" / MINI / "shared.py"
    shared.write_text("FACTOR = 3\n")
    edit(shared.with_name("check_triple.py"), "3 * x", "FACTOR * x")
    start = "from autograder.checking import"
    edit(
        shared.with_name("check_triple.py"),
        start,
        f"from .shared import FACTOR\n{start}",
    )
    mini.hand_in(
        "demo-curious",
        added="import glob, os\nprint(glob.glob('/**/check_*.py', recursive=True),"
        " [k for k in os.environ if 'DASK' in k])",
    )
    assert main(["batch", MINI, "--scheduler", scheduler]) == 0
    assert "2 graded and recorded" in capsys.readouterr().out
    notebook = nbformat.read(mini.notebook_path("demo-curious", "autograded"), as_version=4)
    assert notebook.cells[-1].outputs[0].text == "[] []\n"


def test_a_worker_with_another_autograder_is_told(
    mini: MiniCourse,
    scheduler: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    mini.hand_in("demo-right")
    monkeypatch.setattr("autograder.farm.worker.versions", lambda: {"torch": "1.0"})
    assert main(["batch", MINI, "--scheduler", scheduler]) == 3
    said = capsys.readouterr().err
    assert "has another autograder than the head, or other versions" in said
    assert "torch 1.0 and 2." in said


def test_a_check_that_is_broken_leaves_the_class_ungraded(
    mini: MiniCourse, capsys: pytest.CaptureFixture[str]
) -> None:
    mini.hand_in("demo-right")
    edit(mini.folder / "checks" / MINI / "check_double.py", "2 * x", "2 * y")
    assert main(["batch", MINI, "--jobs", "1"]) == 3
    said = capsys.readouterr().err
    assert "the check values of double is broken: NameError" in said
    assert "(check_double.py, line " in said
    assert "on the worker" not in said
    assert mini.scores() == {}


def test_messages_of_a_run_that_cannot_begin(
    mini: MiniCourse, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*arguments: str) -> str:
        assert main(["batch", *arguments]) == 2
        return capsys.readouterr().err

    assert "unknown assignment 'mimi': this course has mini" in said("mimi")
    assert "nobody has submitted mini" in said(MINI)
    mini.hand_in("demo-right")
    assert "give one" in said(MINI, "--jobs", "2", "--scheduler", "tcp://127.0.0.1:1")
    assert "no Dask scheduler answers at nonsense" in said(MINI, "--scheduler", "nonsense")
    lock = mini.folder / ".cache" / "batch" / MINI / "lock"
    with FileLock(lock):
        assert "another `autograder batch mini` is at work" in said(MINI)
    (mini.folder / "gradebook.db").unlink()
    assert "run `nbgrader generate_assignment mini --force` first" in said(MINI)
    config = mini.folder / "nbgrader_config.py"
    text = config.read_text(encoding="utf-8")
    config.write_text(text + "c.CourseDirectory.db_url = 'sqlite:///absent/gradebook.db'\n")
    assert "/absent/gradebook.db cannot be made: its folder is not there; " in said(MINI)
    config.write_text(text, encoding="utf-8")
    (mini.folder / "gradebook.db").write_text("no database")
    assert "cannot read the gradebook" in said(MINI)
    with pytest.raises(SystemExit):
        main(["batch", MINI, "--jobs", "0"])
    assert "at least 1" in capsys.readouterr().err


def test_what_cannot_be_recorded_is_told_and_tried_again(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini.hand_in("demo-right")
    with monkeypatch.context() as patch:
        patch.setattr(
            "autograder.nbgrader.preprocessors.write_result", Mock(side_effect=OSError("full"))
        )
        tally = batch(mini.course, MINI, TWO)
    assert tally.ungraded == {"demo-right": "nbgrader could not record it: OSError: full"}
    monkeypatch.setattr(farm, "local_farm", Mock(side_effect=AssertionError("nothing may run")))
    assert batch(mini.course, MINI, TWO).recorded == ["demo-right"]


def test_a_log_whose_last_line_was_cut_off_loses_only_that(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = Log(path)
    log.graded("one", "verdict-one")
    log.graded("two", "verdict-two")
    path.write_text(path.read_text()[:-10])
    again = Log(path)
    assert (again.verdict("one"), again.verdict("two")) == ("verdict-one", None)
    again.graded("three", "verdict-three")
    assert Log(path).verdict("three") == "verdict-three"
    again.compact({"three"})
    assert (Log(path).verdict("one"), Log(path).verdict("three")) == (None, "verdict-three")


def test_folders_are_where_nbgrader_has_them(mini: MiniCourse) -> None:
    nbgraders = CourseDirectory(root=str(mini.folder))
    assert {name: getattr(nbgraders, name) for name in DEFAULTS} == DEFAULTS
    folders = Folders(mini.course, read_config(mini.folder), MINI)
    assert folders.db_url == nbgraders.db_url
    wanted = nbgraders.format_path("autograded", "demo-[a]", MINI)
    assert str(folders.of_student("autograded", "demo-[a]")) == wanted


def test_the_tally_tells_the_students_faults_from_the_graders() -> None:
    tally = Tally()
    tally.note("demo-a", run.UnreadableSubmission("a link"))
    tally.note("demo-b", run.Ungraded("no box"))
    assert (tally.refused, tally.ungraded) == ({"demo-a": "a link"}, {"demo-b": "no box"})
    assert tally.failures == {"demo-a": "a link", "demo-b": "no box"}


def test_progress_is_told_line_by_line_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, 3.0, 11.0, 12.0, 25.0])
    told = SimpleNamespace(monotonic=lambda: next(clock))  # the module's own is everybody's
    monkeypatch.setattr("autograder.batch.tally.time", told)
    progress = Progress(Tally(), 4)
    for number in range(3):
        progress.recorded(f"demo-{number}")
    progress.failed("demo-3", run.Ungraded("no box"))
    progress.close()
    said = "grading: 2 of 4, 0 failures\ngrading: 4 of 4, 1 failures\n"
    assert capsys.readouterr().err == said
