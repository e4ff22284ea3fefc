"""Attacks 65 to 70: the submission itself, before any of its code runs.

Attacks 71 to 74, on those who look at results, are in test_inert.py.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from spent import processor_seconds

from attacks.harness import RIGHT, WRONG, Arena, Attack, everything_said
from attacks.world import MARKER, SECRET
from autograder.course.cells import grade_id
from autograder.errors import UnreadableSubmission
from autograder.intake.inspection import IntakeExporter
from autograder.intake.submission import parse_notebook, read_notebook, repair

MAX_BYTES = 32 << 20
AT_ONCE_SECONDS = 2


def refused(path: Path, why: str) -> None:
    """Reading `path` ends at once with one sentence, which names the path and tells no secret."""
    told = []

    def read() -> None:
        with pytest.raises(UnreadableSubmission, match=why) as caught:
            read_notebook(path, MAX_BYTES)
        told.append(str(caught.value))

    assert processor_seconds(read) < AT_ONCE_SECONDS
    assert SECRET not in told[0]


def test_attack_65_links_and_pipes_are_refused_as_notebooks(arena: Arena, tmp_path: Path) -> None:
    secret = arena.world.canaries[0]
    link, pipe, device = tmp_path / "a.ipynb", tmp_path / "b.ipynb", Path("/dev/zero")
    link.symlink_to(secret)
    os.mkfifo(pipe)
    refused(link, "is a link")
    refused(pipe, "not a regular file")
    refused(device, "not a regular file")
    refused(secret, "is not a Jupyter notebook")


@pytest.mark.parametrize("kind", ["symlink", "folder link", "hard link", "fifo", "socket"])
def test_attack_65_nothing_but_plain_files_is_let_into_the_course(
    arena: Arena, tmp_path: Path, kind: str
) -> None:
    secret = arena.world.canaries[0]
    folder = tmp_path / "s01" / "mini"
    folder.mkdir(parents=True)
    bad = folder / "data.csv"
    match kind:
        case "symlink":
            bad.symlink_to(secret)
        case "folder link":
            bad.symlink_to(secret.parent, target_is_directory=True)
        case "hard link":
            bad.hardlink_to(secret)
        case "fifo":
            os.mkfifo(bad)
        case "socket":
            os.mknod(bad, 0o140644)
    with pytest.raises(UnreadableSubmission, match=r"data\.csv is") as caught:
        IntakeExporter().inspect(folder)
    bad.unlink()
    IntakeExporter().inspect(folder)
    assert SECRET not in str(caught.value)


def archive(*names: str, size: int = 10) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name in names:
            file.writestr(name, bytes(size))
    return packed.getvalue()


@pytest.mark.parametrize("outside", ["../../{}", "/tmp/{}", "a/../../../{}"])
def test_attack_65_an_archive_is_never_unpacked(arena: Arena, tmp_path: Path, outside: str) -> None:
    path = tmp_path / "s01" / "mini.ipynb"
    path.parent.mkdir()
    path.write_bytes(archive(outside.format(MARKER)))
    refused(path, "is not a Jupyter notebook")
    assert [found.name for found in tmp_path.rglob("*")] == ["s01", "mini.ipynb"]


def test_attack_66_bombs_and_giants_are_refused_by_their_size(arena: Arena, tmp_path: Path) -> None:
    giant, bomb, squeezed = (tmp_path / name for name in ("a.ipynb", "b.ipynb", "c.ipynb"))
    with giant.open("wb") as file:
        file.truncate(500 << 20)
    bomb.write_bytes(archive("mini.ipynb", size=100 << 20))
    squeezed.write_bytes(gzip.compress(bytes(100 << 20), 1))
    refused(giant, "more than the limit of 33,554,432")
    refused(bomb, "is not a Jupyter notebook")
    refused(squeezed, "is not a Jupyter notebook")


def in_cell(arena: Arena, metadata: str) -> bytes:
    """A right submission whose answers carry one more item of metadata, as JSON text."""
    text = nbformat.writes(arena.submission(Attack(67, "", RIGHT)))
    return text.replace('"nbgrader": {', f'"deep": {metadata}, "nbgrader": {{').encode()


MALFORMED = {
    "no-JSON": b"{'cells': []}",
    "no-text": b"\xff\xfe" * 100,
    "nested-lists": b"[" * 1_000_000,
    "nested-objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "half-a-notebook": b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [',
    "cells-that-are-numbers": b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [1]}',
    "a-version-that-never-was": b'{"nbformat": 0, "metadata": {}, "cells": []}',
    "a-version-that-is-no-number": b'{"nbformat": [], "metadata": {}, "cells": []}',
    "an-endless-number": b'{"nbformat": ' + b"9" * 100_000 + b"}",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_attack_67_what_is_no_notebook_is_refused_at_once(
    arena: Arena, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "mini.ipynb"
    path.write_bytes(MALFORMED[name])
    refused(path, "is not a Jupyter notebook")


@pytest.mark.parametrize("depth", [10, 100, 250, 400, 480, 600, 5000])
def test_attack_67_deep_metadata_is_dropped_or_refused(arena: Arena, depth: int) -> None:
    data = in_cell(arena, '{"a":' * depth + "1" + "}" * depth)
    try:
        submission = parse_notebook(data, "mini.ipynb")
    except UnreadableSubmission:
        assert depth > 100
    else:
        assert arena.grade(submission).result.score == 10.0


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(each for each in notebook.cells if grade_id(each) == name)


FORGED = {
    "no-grade": {"grade": False},
    "1000-points": {"points": 1000},
    "NaN-points": {"points": float("nan")},
    "negative-points": {"points": -5},
    "unlocked": {"locked": False, "solution": True},
}


@pytest.mark.parametrize("name", FORGED)
def test_attack_68_the_settings_of_the_release_win(arena: Arena, name: str) -> None:
    submission = arena.submission(Attack(68, name, WRONG))
    cell(submission, "check_double").metadata.nbgrader.update(FORGED[name])
    submission = parse_notebook(nbformat.writes(submission).encode(), "mini.ipynb")
    result = arena.grade(submission).result
    assert (result.score, result.max_score) == (5.0, 10.0)
    assert result.flags == ["locked cell check_double had other grading settings"]


def edited(submission: NotebookNode) -> None:
    cell(submission, "check_double").source = "print('10.0')"


def deleted(submission: NotebookNode) -> None:
    submission.cells.remove(cell(submission, "check_double"))


def moved(submission: NotebookNode) -> None:
    found = cell(submission, "check_double")
    submission.cells.remove(found)
    submission.cells.insert(0, found)


def duplicated(submission: NotebookNode) -> None:
    twin = json.loads(json.dumps(cell(submission, "check_double")))
    submission.cells.append(NotebookNode(nbformat.from_dict({**twin, "id": "twin"})))


@pytest.mark.parametrize(
    ("change", "flag"),
    [
        (edited, "locked cell check_double was edited"),
        (deleted, "locked cell check_double was missing"),
        (moved, "was moved"),
        (duplicated, "locked cell check_double was there 2 times"),
    ],
)
def test_attack_68_the_cells_of_the_release_win(arena: Arena, change, flag: str) -> None:  # type: ignore[no-untyped-def]
    submission = arena.submission(Attack(68, flag, WRONG))
    change(submission)
    graded = arena.grade(submission)
    assert graded.result.score == 5.0
    assert any(flag in each for each in graded.result.flags)
    released = cell(arena.world.assignment.release, "check_double").source
    assert [c.source for c in graded.notebook.cells if grade_id(c) == "check_double"] == [released]


def test_attack_69_a_kernelspec_that_names_a_command_is_ignored(
    arena: Arena, tmp_path: Path
) -> None:
    command = ["touch", str(tmp_path / MARKER)]
    submission = arena.submission(Attack(69, "", WRONG))
    submission.metadata = nbformat.from_dict(
        {
            "kernelspec": {"name": "evil", "display_name": "x", "argv": command, "language": "sh"},
            "language_info": {"name": "sh", "pygments_lexer": "../../evil"},
            "autograder": {"flags": [], "unanswered": []},
        }
    )
    graded = arena.grade(submission)
    assert graded.result.score == 5.0
    assert graded.notebook.metadata == arena.world.assignment.release.metadata
    assert not (tmp_path / MARKER).exists()


def test_attack_70_outputs_that_claim_success_are_cleared(arena: Arena) -> None:
    submission = arena.submission(Attack(70, "", WRONG))
    claims = [
        nbformat.v4.new_output("execute_result", {"text/plain": "claimed 10.0"}),
        nbformat.v4.new_output("stream", text="claimed 10.0"),
        nbformat.v4.new_output("display_data", {"text/html": "<b>claimed 10.0</b>"}),
    ]
    for each in submission.cells:
        each.outputs = claims
    repaired = repair(submission, arena.world.assignment.release)
    assert all(not each.outputs for each in repaired.notebook.cells)
    graded = arena.grade(submission)
    assert graded.result.score == 5.0
    assert "claimed" not in everything_said(graded) + nbformat.writes(graded.notebook)
