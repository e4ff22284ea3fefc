"""What grading a class costs: `autograder batch` against stock nbgrader, and how cost grows.

1. The same submissions of a1, no two alike: stock `nbgrader autograde`, then `autograder batch`
   with one job and with two, start and recording included, and a second run over what has not
   changed.
2. A class of them of which every twentieth never comes back from `attention`, on which later
   questions rest, against one in which all do.
3. Small classes and large ones of a tiny assignment through a local cluster of two workers, in a
   process of their own each: seconds, tasks a second, and the memory of the head; grading alone,
   and the same with recording: then also what recording costs the head.

The machine is noisy: only the ratios of one run mean something.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from courses import ASSIGNMENT, ROOT, hand_in, nbgrader, our_course, run, stock_course

from autograder.batch import recording
from autograder.batch.recording import Recorder
from autograder.batch.run import Workers, batch
from autograder.batch.submissions import Submission
from autograder.course.settings import read_config, settings_of
from autograder.farm.bundle import pack
from autograder.farm.local import local_farm
from autograder.farm.warming import warming
from autograder.farm.workers import Packed
from autograder.grading.identity import Identity
from autograder.intake.belonging import released_in
from autograder.nbgrader.finishing import Finished, carried

sys.path.insert(0, str(ROOT / "tests"))

from mini_course import MINI, MiniCourse, make_course

STORED = ROOT / "bench" / "batch.json"
JOBS = 2
HANGS_EACH = 20


def main() -> None:
    """Measures, prints and stores the figures."""
    parser = argparse.ArgumentParser(
        description="Measure what grading a class costs.",
        epilog="An option without numbers measures nothing, and leaves what is stored of it.",
    )
    parser.add_argument("--submissions", type=int, nargs="*", default=[60, 200], metavar="N")
    parser.add_argument("--classes", type=int, nargs="*", default=[100, 1000, 10000], metavar="N")
    parser.add_argument("--recorded", type=int, nargs="*", default=[100, 1000, 10000], metavar="N")
    parser.add_argument("--hanging", type=int, nargs="*", default=[60], metavar="N")
    parser.add_argument("--only", metavar="WHAT:N", help="measure one class and print JSON")
    options = parser.parse_args()
    if options.only is not None:
        what, _, size = options.only.partition(":")
        print(json.dumps(ALONE[what](int(size))))
        return
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        found["classes_of_a1"] = [
            measure_throughput(Path(scratch) / str(size), size) for size in options.submissions
        ]
        found["hanging"] = [
            measure_hangs(Path(scratch) / f"hanging{size}", size) for size in options.hanging
        ]
    found["small"] = [_in_own_process("graded", size) for size in options.classes]
    found["small_recorded"] = [_in_own_process("recorded", size) for size in options.recorded]
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    told = {"jobs": JOBS, **stored, **{what: sizes for what, sizes in found.items() if sizes}}
    STORED.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(_told(found))


def measure_throughput(scratch: Path, count: int) -> dict[str, float]:
    """Seconds of each way to grade the same `count` submissions of a1."""
    stock, ours = stock_course(scratch / "stock"), our_course(scratch / "ours")
    hand_in(stock, count)
    seconds = {"stock": nbgrader(stock, "autograde", ASSIGNMENT).seconds}
    for name, jobs in (("one_job", 1), ("two_jobs", JOBS)):
        hand_in(ours, count)
        seconds[name] = _batch(ours, jobs)
    seconds["unchanged"] = _batch(ours, JOBS)
    return {
        "submissions": count,
        **seconds,
        "times_stock": seconds["stock"] / seconds["two_jobs"],
        "times_one_job": seconds["one_job"] / seconds["two_jobs"],
        "unchanged_share": seconds["unchanged"] / seconds["two_jobs"],
    }


def measure_hangs(scratch: Path, count: int) -> dict[str, float]:
    """Seconds of two jobs for `count` submissions of a1 without hangs, and with some."""
    course, hanging = our_course(scratch), count // HANGS_EACH
    hand_in(course, count)
    without = _batch(course, JOBS)
    hand_in(course, count, hanging=hanging)
    hung = _batch(course, JOBS)
    return {
        "submissions": count,
        "hanging": hanging,
        "none_hangs": without,
        "some_hang": hung,
        "times": hung / without,
    }


def _batch(course: Path, jobs: int) -> float:
    return run(course, "-m", "autograder", "batch", ASSIGNMENT, "--jobs", str(jobs)).seconds


def _in_own_process(what: str, size: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--only", f"{what}:{size}"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure_class(size: int) -> dict[str, float]:
    """What `size` submissions of the tiny assignment take from the first verdict to the last."""
    with tempfile.TemporaryDirectory() as scratch:
        mini = _mini_course(Path(scratch) / "course")
        config, assignment = read_config(mini.folder), mini.course.assignment(MINI)
        identity = Identity.of(assignment, settings_of(config))
        bundle = pack(assignment, released_in(mini.course), carried(config))
        text = mini.hand_in("demo").read_text(encoding="utf-8")
        started = time.perf_counter()
        workers = mini.folder / "workers"
        with (
            warming([assignment], workers) as lent,
            local_farm(JOBS, [Packed(bundle, identity)], workers, lent) as farm,
        ):
            outcomes = farm.outcomes(MINI, _submissions(text, size))
            _expect_graded(next(outcomes)[1].kind)
            first, memory = time.perf_counter(), _memory_mib()
            for _, outcome in outcomes:
                _expect_graded(outcome.kind)
            last = time.perf_counter()
        return {
            "submissions": size,
            "start_seconds": first - started,
            "seconds": last - first,
            "milliseconds_each": 1000 * (last - first) / (size - 1),
            "tasks_a_second": (size - 1) / (last - first),
            "head_mib_at_first": memory,
            "head_mib_at_most": _memory_mib(),
        }


def _mini_course(folder: Path) -> MiniCourse:
    return MiniCourse(make_course(folder))


def _submissions(text: str, size: int) -> Iterator[Submission]:
    for number in range(size):
        own = text.replace("student = 'demo'", f"student = {number}")
        yield Submission(f"demo-{number}", Path(f"{MINI}.ipynb"), "", own.encode(), b"")


def _expect_graded(kind: str) -> None:
    if kind != "graded":
        sys.exit(f"a submission was {kind}")


def _memory_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Clock(Recorder):
    """Notes when submissions were recorded, and the processor time of the thread that did it."""

    ended: ClassVar[list[float]] = []
    busy: ClassVar[list[float]] = []
    memory: ClassVar[list[float]] = []

    def record(self, one: Submission, finish: Callable[[], Finished | None]) -> None:
        """See `Recorder`."""
        before = time.thread_time()
        super().record(one, finish)
        self.busy.append(time.thread_time() - before)
        self.ended.append(time.perf_counter())
        self.memory.append(_memory_mib())


def measure_recorded_class(size: int) -> dict[str, float]:
    """What a whole run over `size` tiny submissions takes, from the first in the gradebook on."""
    recording.Recorder = Clock  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as scratch:
        mini = _mini_course(Path(scratch) / "course")
        text = mini.hand_in("demo").read_text(encoding="utf-8")
        shutil.rmtree(mini.notebook_path("demo").parents[1])
        for one in _submissions(text, size):
            path = mini.notebook_path(one.student)
            path.parent.mkdir(parents=True)
            path.write_bytes(one.notebook)
        started = time.perf_counter()
        tally = batch(mini.course, MINI, Workers(JOBS))
        if len(tally.recorded) != size:
            sys.exit(f"of {size} submissions {len(tally.recorded)} were recorded")
    first, last = Clock.ended[0], Clock.ended[-1]
    return {
        "submissions": size,
        "start_seconds": first - started,
        "seconds": last - first,
        "milliseconds_each": 1000 * (last - first) / (size - 1),
        "recording_milliseconds_each": 1000 * sum(Clock.busy[1:]) / (size - 1),
        "head_mib_at_first": Clock.memory[0],
        "head_mib_at_most": Clock.memory[-1],
    }


ALONE = {"graded": measure_class, "recorded": measure_recorded_class}


def _told(found: dict[str, Any]) -> str:
    lines = []
    for one in found["classes_of_a1"]:
        lines += [
            f"{one['submissions']} submissions of {ASSIGNMENT}: stock {one['stock']:.1f} s, batch "
            f"{one['one_job']:.1f} s with one job, {one['two_jobs']:.1f} s with two",
            f"batch has {one['times_stock']:.1f} times the throughput of stock nbgrader; "
            f"two jobs {one['times_one_job']:.2f} times that of one",
            f"a second run takes {100 * one['unchanged_share']:.1f} % of the first",
        ]
    lines += [
        f"{one['submissions']} of which {one['hanging']} hang: {one['some_hang']:.1f} s, "
        f"{one['times']:.2f} times those without"
        for one in found["hanging"]
    ]
    lines += [
        f"{size['submissions']:6} tiny ones graded: {size['milliseconds_each']:.1f} ms each, "
        f"{size['tasks_a_second']:.1f} tasks a second, {_head(size)}"
        for size in found["small"]
    ]
    lines += [
        f"{size['submissions']:6} graded and recorded: {size['milliseconds_each']:.1f} ms each, "
        f"{size['recording_milliseconds_each']:.1f} of them to record, {_head(size)}"
        for size in found["small_recorded"]
    ]
    return "\n".join(lines)


def _head(size: dict[str, float]) -> str:
    more = size["head_mib_at_most"] - size["head_mib_at_first"]
    return f"head {size['head_mib_at_most']:.0f} MiB, of which {more:.0f} after the first"


if __name__ == "__main__":
    main()
