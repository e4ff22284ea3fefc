"""Gradebooks that nbgrader opens while it grades a class."""

from __future__ import annotations

from pathlib import Path

import nbgrader.api
import pytest
from nbgrader.api import Gradebook
from sqlalchemy import create_engine

from autograder.intake.autograding import _compiling_once


@pytest.fixture(autouse=True)
def as_nbgrader_opens_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not as other tests do."""
    monkeypatch.setattr(nbgrader.api, "create_engine", create_engine)


def students(gradebook: Gradebook) -> list[str]:
    with gradebook:
        return [student.id for student in gradebook.students]


def test_they_share_their_queries_and_nothing_else(tmp_path: Path) -> None:
    url, other_url = (f"sqlite:///{tmp_path}/{name}.db" for name in ("one", "other"))
    with _compiling_once():
        with Gradebook(url) as first:
            first.add_student("demo")
        second = Gradebook(url)
        assert first.engine is second.engine
        assert students(second) == ["demo"]
        assert students(Gradebook(other_url)) == []


def test_afterwards_each_is_as_nbgrader_opens_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/one.db"
    with pytest.raises(KeyError), _compiling_once():
        raise KeyError
    one, other = Gradebook(url), Gradebook(url)
    assert one.engine is not other.engine
    assert students(one) == students(other) == []
