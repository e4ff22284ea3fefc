"""Outputs of a cell beyond the cap are cut, noted or dropped, and fill no memory."""

import json

import pytest
import shell_runs
from shell_runs import OUTPUT_BYTES, RunCells, text_of

environment, zygote, run = shell_runs.environment, shell_runs.zygote, shell_runs.run  # fixtures


def test_text_beyond_the_cap_is_cut(run: RunCells) -> None:
    first, second = run("print('x' * 70); print('never kept')", "print('next')", output_bytes=50)
    assert text_of(first) == "x" * 50
    assert first["truncated"]
    assert text_of(second) == "next\n"
    assert not second["truncated"]


def test_the_cap_counts_bytes_and_cuts_between_characters(run: RunCells) -> None:
    (only,) = run("print('数' * 10)", output_bytes=10)
    assert text_of(only) == "数数数"
    assert only["truncated"]


def test_a_note_stands_for_a_display_beyond_the_cap(run: RunCells) -> None:
    source = "print('kept'); display('x' * 5000); print('late'); raise KeyError('y' * 5000)"
    (only,) = run(source, output_bytes=3000)
    kept, noted, late, error = only["outputs"]
    assert (kept["text"], late["text"]) == ("kept\n", "late\n")
    assert noted["data"]["text/plain"].startswith("[not kept: a display of 5,0")
    assert error["ename"] == "KeyError"
    assert len(error["evalue"]) == 1000
    assert only["truncated"]
    assert only["error"] == "KeyError"


def test_what_does_not_even_leave_room_for_a_note_is_dropped_with_all_that_follows(
    run: RunCells,
) -> None:
    source = "print('x' * 90); display('x' * 2000); print('late'); 1 / 0"
    (only,) = run(source, output_bytes=100)
    assert [output["text"] for output in only["outputs"]] == ["x" * 90 + "\n"]
    assert only["truncated"]
    assert only["error"] == "ZeroDivisionError"


def test_outputs_below_the_cap_are_whole(run: RunCells) -> None:
    (only,) = run("print('x' * 99)", output_bytes=100)
    assert text_of(only) == "x" * 99 + "\n"
    assert not only["truncated"]


def test_cleared_outputs_do_not_count(run: RunCells) -> None:
    source = (
        "from IPython.display import clear_output\n"
        "for step in range(50):\n"
        "    clear_output(wait=True)\n"
        "    print('x' * 200, step)"
    )
    (only,) = run(source, output_bytes=1000)
    assert text_of(only) == "x" * 200 + " 49\n"
    assert not only["truncated"]


def test_what_replaces_cleared_outputs_counts(run: RunCells) -> None:
    source = (
        "from IPython.display import clear_output\n"
        "clear_output(wait=True); print('x' * 700, flush=True); print('y' * 700)"
    )
    (only,) = run(source, output_bytes=1000)
    assert len(text_of(only)) <= 1000
    assert only["truncated"]


def test_an_update_beyond_the_cap_is_dropped(run: RunCells) -> None:
    source = "shown = display('small', display_id=True); shown.update('x' * 2000)"
    (only,) = run(source, output_bytes=1000)
    assert only["outputs"][0]["data"] == {"text/plain": "'small'"}
    assert only["truncated"]


PEAK = "import resource; resource.getrusage(resource.RUSAGE_SELF).ru_maxrss"


@pytest.mark.parametrize(
    "flood",
    [
        "chunk = 'x' * 1_000_000\nfor _ in range(10_000): print(chunk)",
        "for _ in range(15_000): display('x')",
        "import sys\nfor _ in range(15_000):\n"
        "    for stream in sys.stderr, sys.stdout: print('x', file=stream, flush=True)",
        "import os\nchunk = bytes(1_000_000)\nfor _ in range(1_000):\n"
        "    try: os.write(1, chunk)\n    except OSError: pass",
    ],
    ids=["text", "displays", "streams", "descriptor"],
)
def test_a_flood_leaves_memory_flat(run: RunCells, flood: str) -> None:
    before, flooded, after = run(PEAK, flood, PEAK)
    kibibytes = [int(peak["outputs"][0]["data"]["text/plain"]) for peak in (before, after)]
    assert flooded["truncated"]
    assert flooded["error"] is None
    assert kibibytes[1] - kibibytes[0] < 48 * 1024
    assert len(json.dumps(flooded["outputs"])) < 8 * OUTPUT_BYTES
