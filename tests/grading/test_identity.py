"""Equal digests promise equal verdicts: all that a verdict depends on is told apart."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import nbformat
import pytest
from mini import answer, mini_assignment, write_source

from autograder.course.assignments import Assignment
from autograder.course.limits import Limits
from autograder.course.settings import Settings
from autograder.grading import identity as module
from autograder.grading.identity import Identity, differences, package_digest, versions
from autograder.intake.submission import repair

SETTINGS = Settings(Limits(), trust_notebooks=False)


@pytest.fixture
def mini(tmp_path: Path) -> Assignment:
    return mini_assignment(tmp_path)


def state(mini: Assignment, settings: Settings = SETTINGS) -> str:
    return Identity.of(mini, settings).state


def test_all_that_a_verdict_depends_on_is_part_of_its_identity(
    mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = [state(mini), state(mini, replace(SETTINGS, limits=Limits(cell_seconds=1.0)))]
    states.append(state(mini, replace(SETTINGS, no_follow_through=("mini",))))
    write_source(mini)
    states.append(state(mini))
    (mini.release_path.parent / "data.csv").write_text("1")
    states.append(state(mini))
    expected = mini.expected_file("double")
    expected.parent.mkdir()
    expected.write_bytes(b"tensor")
    states.append(state(mini))
    misconceptions = mini.misconceptions_file("double")
    misconceptions.parent.mkdir()
    misconceptions.write_text("# one more")
    states.append(state(mini))
    monkeypatch.setattr("autograder.grading.identity.versions", lambda: {"torch": "1.0"})
    states.append(state(mini))
    assert len(set(states)) == len(states)
    assert state(mini) == states[-1]


def test_submissions_with_the_same_cells_and_flags_share_a_verdict(mini: Assignment) -> None:
    identity = Identity.of(mini, SETTINGS)
    first, second = answer(mini), answer(mini)
    second.metadata["title"] = "another"
    second.cells[0].outputs = []
    assert identity.of_content(repair(first, mini.release)) == identity.of_content(
        repair(second, mini.release)
    )
    other = answer(mini, double="def double(x): return x + x")
    edited = answer(mini)
    edited.cells[0].source += "\nimport os"
    keys = {identity.of_content(repair(one, mini.release)) for one in (first, other, edited)}
    assert len(keys) == 3


def write(name: str, text: str) -> Callable[[Path], object]:
    def step(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    return step


def move(name: str, to: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).rename(folder / to)


STEPS = [
    write("deep/er/room/module.py", "1"),
    move("deep/er/room/module.py", "deep/er/module.py"),
    write("pages/page.html.j2", "<p>"),
    write("pages/page.html.j2", "<b>"),
    write("two.toml", "a"),
    move("two.toml", "three.toml"),
]


def test_every_file_of_the_engine_counts_wherever_it_lies(
    mini: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = tmp_path / "engine"
    write("__init__.py", "")(engine)
    monkeypatch.setattr(module, "PACKAGE", engine)
    states, digests = [state(mini)], [package_digest()]
    for step in STEPS:
        step(engine)
        states.append(state(mini))
        digests.append(package_digest())
    assert len(set(states)) == len(set(digests)) == 1 + len(STEPS)
    write("deep/__pycache__/module.pyc", "")(engine)
    write(".ipynb_checkpoints/page.html.j2", "")(engine)
    assert state(mini) == states[-1]


@pytest.mark.parametrize("part", ["checks", "release"])
def test_every_file_of_an_assignment_counts_by_its_name_and_what_it_holds(
    mini: Assignment, part: str
) -> None:
    folder = mini.checks if part == "checks" else mini.release_path.parent
    states = [state(mini)]
    for step in STEPS:
        step(folder)
        states.append(state(mini))
    assert len(set(states)) == 1 + len(STEPS)


def test_two_files_that_exchange_what_they_hold_make_another_state(mini: Assignment) -> None:
    folder = mini.release_path.parent
    (folder / "a.csv").write_text("1")
    (folder / "b.csv").write_text("2")
    before = state(mini)
    (folder / "a.csv").write_text("2")
    (folder / "b.csv").write_text("1")
    assert state(mini) != before


def test_a_change_that_keeps_size_and_date_is_seen(mini: Assignment) -> None:
    path = mini.check_file("double")
    date = path.stat().st_mtime_ns - 10**12
    seen = set()
    for number in range(10):
        path.write_text(f"# {number}")
        os.utime(path, ns=(date, date))
        seen.add(state(mini))
    assert len(seen) == 10


def test_a_file_that_goes_away_meanwhile_does_not_count(
    mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the one that an editor puts beside the file that it writes."""
    before, listed = state(mini), module.contents

    def and_one_more(folder: Path) -> list[tuple[str, Path]]:
        return [*listed(folder), ("gone", folder / "gone")]

    monkeypatch.setattr(module, "contents", and_one_more)
    assert state(mini) == before


def test_a_file_that_has_not_changed_for_a_while_is_read_once(
    mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SETTLED_NS", -(10**12))
    before = state(mini)
    monkeypatch.setattr(Path, "read_bytes", None)
    assert state(mini) == before


def test_the_version_of_every_declared_dependency_counts(
    mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = metadata.version
    declared = versions().keys() - {"Python"}
    assert {"torch", "numpy", "transformers", "tokenizers", "datasets", "scikit-learn"} <= declared
    states = {state(mini)}
    for name in declared:
        monkeypatch.setattr(metadata, "version", lambda n, it=name: "99.0" if n == it else true(n))
        assert versions()[name] == "99.0"
        states.add(state(mini))
    assert len(states) == 1 + len(declared)


def test_what_is_installed_later_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = versions()
    monkeypatch.syspath_prepend(tmp_path)
    assert versions() == before
    folder = tmp_path / "transformers-99.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: transformers\nVersion: 99.0\n")
    assert differences(before, versions()) == f"transformers {before['transformers']} and 99.0"


def test_a_package_that_is_not_installed_counts_all_that_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "DISTRIBUTION", "no-such-distribution")
    module._installed.cache_clear()
    found = versions()
    module._installed.cache_clear()
    assert found["torch"] == metadata.version("torch")
    assert len(found) > 50


def test_the_part_that_a_cell_plays_counts(mini: Assignment) -> None:
    right, breaking = "def double(x):\n    return 2 * x", "import sys\nsys._getframe = None"
    first, second = answer(mini, double=right), answer(mini, double=breaking)
    first.cells.insert(2, nbformat.v4.new_code_cell(breaking))
    second.cells.insert(1, nbformat.v4.new_code_cell(right))
    repaired = [repair(one, mini.release) for one in (first, second)]
    sources = [[cell.source for cell in one.notebook.cells] for one in repaired]
    assert sources[0] == sources[1]
    assert repaired[0].flags == repaired[1].flags
    identity = Identity.of(mini, SETTINGS)
    assert len({identity.of_content(one) for one in repaired}) == 2


def test_a_picture_in_a_text_cell_counts(mini: Assignment) -> None:
    identity = Identity.of(mini, SETTINGS)
    keys = set()
    for picture in ("aaaa", "bbbb"):
        cell = nbformat.v4.new_markdown_cell("![mine](attachment:a.png)")
        cell.attachments = {"a.png": {"image/png": picture}}
        submission = answer(mini)
        submission.cells.append(cell)
        keys.add(identity.of_content(repair(submission, mini.release)))
    assert len(keys) == 2
