"""A process that lives long keeps one grader for each assignment, however often that is edited."""

from __future__ import annotations

import atexit
import gc
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import nbformat
import pytest
from mini import mini_assignment

from autograder.box.outside.zygotes import StartedZygote, Zygote
from autograder.course.assignments import Course
from autograder.course.limits import Limits
from autograder.course.settings import Settings
from autograder.errors import Ungraded, Unready
from autograder.grading import warm
from autograder.grading.identity import Identity
from autograder.nbgrader.ordinary import run_in_box


class Closable:
    """A grader, as far as it is kept."""

    def __init__(self, *given: Any) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


def test_a_grader_whose_state_is_past_is_closed_and_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "ready_grader", Closable)
    assignment, settings = mini_assignment(tmp_path), Settings(Limits(), trust_notebooks=False)
    course = Course(tmp_path)
    graders: list[Closable] = []
    for state in ("first", "second", "second", "third"):
        found = warm.warm_grader(Identity(assignment, settings, state), course)
        graders.append(cast(Closable, found))
    assert [one.closed for one in graders] == [True, True, True, False]
    assert graders[1] is graders[2]
    atexit.unregister(graders[-1].close)
    warm._graders.clear()
    held = [weakref.ref(one) for one in graders]
    graders.clear()
    del found
    gc.collect()
    assert not any(one() for one in held)


@pytest.fixture
def zygotes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Zygote]]:
    """All that are started."""
    started: list[Zygote] = []

    def start(*given: Any) -> Zygote:
        started.append(StartedZygote(*given))
        return started[-1]

    monkeypatch.setattr(warm, "StartedZygote", start)
    yield started
    for zygote in started:
        atexit.unregister(zygote.close)
        zygote.close()
    warm._zygotes.clear()


def test_a_zygote_that_has_ended_is_replaced_where_a_notebook_is_run(
    tmp_path: Path, zygotes: list[Zygote]
) -> None:
    settings = Settings(Limits(), trust_notebooks=True)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print(6 * 7)")])

    def dying() -> Zygote:
        zygote = warm.warm_zygote(tmp_path / "none.ipynb", settings, tmp_path)
        if len(zygotes) < 3:
            zygote._process.kill()
        return zygote

    run_in_box(notebook, dying, settings.limits, {})
    assert notebook.cells[0].outputs[0].text == "42\n"
    assert len(zygotes) == 3
    assert warm.warm_zygote(tmp_path / "none.ipynb", settings, tmp_path) is zygotes[2]
    assert [zygote.gone for zygote in zygotes] == [True, True, False]


def test_a_zygote_whose_boxes_do_not_hold_is_ended_and_stops_the_run(
    tmp_path: Path, zygotes: list[Zygote], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "guard_against_breaches", Mock(side_effect=Ungraded("no walls")))
    with pytest.raises(Unready, match="no walls"):
        warm.warm_zygote(tmp_path / "none.ipynb", Settings(Limits(), False), tmp_path)
    assert zygotes[0]._process.poll() is not None
