"""What was heard of a question is made small for whoever looks at it, and for nobody else."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch

from autograder.grading.prints import Print
from autograder.grading.transcripts import OF_MACHINES, WAITING_BYTES, Heard, Utterance, alike

SMALL, LARGE = 3, WAITING_BYTES // 4 + 1


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of what was made small."""
    made: list[int] = []
    own = Utterance.noted

    def counted(tensors: dict[str, torch.Tensor], facts: dict[str, object]) -> Utterance:
        made.append(len(tensors["y"]))
        return own(tensors, facts)

    monkeypatch.setattr(Utterance, "noted", counted)
    return made


def test_what_was_noted_is_made_small_once_and_only_where_somebody_looks(noted: list[int]) -> None:
    heard = Heard()
    for slug, check, size in [("a", "x", 1), ("a", "x", 2), ("a", "y", 3), ("b", "x", 4)]:
        heard.note(slug, check, {"y": torch.ones(size)}, {})
    assert noted == []
    shapes = {
        check: [u.tensors["numbers"].shape for u in us] for check, us in heard.of("a").items()
    }
    assert shapes == {"x": [[1], [2]], "y": [[3]]}
    assert heard.of("a").keys() == {"x", "y"}
    assert noted == [1, 2, 3]


@pytest.mark.parametrize(("size", "waits"), [(SMALL, True), (LARGE, False)])
def test_large_tensors_do_not_wait_in_the_graders_memory(size: int, waits: bool) -> None:
    heard, tensor = Heard(), torch.ones(size)
    held = weakref.ref(tensor)
    heard.note("a", "x", {"y": tensor}, {})
    heard.hear("a", "y", Utterance({}, {"plain": True}))
    del tensor
    gc.collect()
    assert (held() is not None) is waits
    assert heard.of("a")["y"][0].facts == {"plain": True}


def test_what_is_forgotten_is_not_heard() -> None:
    heard = Heard()
    heard.note("a", "x", {"y": torch.ones(SMALL)}, {})
    heard.forget("a")
    heard.forget("never asked")
    assert heard.of("a") == {}


@pytest.mark.parametrize(("other", "equal"), [(0.1 + 1e-12, True), (0.2, False), (1, False)])
def test_numbers_that_are_noted_are_equal_within_tolerance(other: float, equal: bool) -> None:
    mine, its = (Utterance.noted({}, {"values": {"n": 3, "loss": x}}) for x in (0.1, other))
    assert mine.equals(its) is equal
    assert mine.cases["values"].equals(its.cases["values"]) is equal
    assert Print.of([mine]).equals(Print.of([its])) is equal


def test_stored_replies_may_differ_as_processors_do_in_rounding_and_no_further() -> None:
    def said(number: float) -> dict[str, list[Utterance]]:
        return {"kind": [Utterance.noted({"half/y": torch.tensor([number])}, {"half": {}})]}

    assert not alike(said(1.0), said(1.05))
    assert alike(said(1.0), said(1.05), OF_MACHINES)
    assert not alike(said(1.0), said(1.3), OF_MACHINES)
