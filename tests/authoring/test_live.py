"""What an instructor's own kernel answers to probes, and what it keeps."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from mini_course import MINI, make_course

from autograder.authoring import live
from autograder.authoring.live import LiveStudent
from autograder.checking import Probe
from autograder.errors import UsageError


def drawing(answers: object) -> dict[str, object]:
    """What a probe meets, and finds it otherwise afterwards."""
    import torch

    found = torch.rand(3), torch.is_grad_enabled(), torch.get_default_dtype() == torch.float32
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(99)
    return {"numbers": found[0], "grad": found[1], "single": found[2]}


def test_a_probe_meets_what_it_meets_in_a_box_and_changes_nothing_of_the_notebook() -> None:
    probe = Probe(drawing)
    torch.manual_seed(3)
    wanted = torch.rand(2)
    torch.manual_seed(3)
    with torch.no_grad():
        first = LiveStudent({}).run(probe)
        student = LiveStudent({})
        again, later = student.run(probe), student.run(probe)
        assert not torch.is_grad_enabled()
    assert torch.get_default_dtype() == torch.float32
    assert torch.equal(torch.rand(2), wanted)
    assert first["grad"] is True
    assert first["single"] is True
    assert torch.equal(first.tensor("numbers"), again.tensor("numbers"))
    assert not torch.equal(first.tensor("numbers"), later.tensor("numbers"))


def test_a_misspelt_question_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_course(tmp_path / "course")
    monkeypatch.chdir(folder / "source" / MINI)
    monkeypatch.setattr(live, "get_ipython", lambda: SimpleNamespace(user_ns={}))
    with pytest.raises(UsageError, match="mini has no checks of a question 'duble': check"):
        live.check_live("duble")
