"""The checks that a battery makes: their names, what they say and store, and what asking costs."""

from __future__ import annotations

import re
import traceback
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from autograder.authoring.live import LiveStudent
from autograder.checking import Battery, Domain
from autograder.checking.expected import Recorder
from autograder.errors import UsageError
from checking.answers import names
from checking.questions import ATTENTION, DOMAINS, PROJECTION, judge


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        ({}, "Evaluation mode gives the same as training mode"),
        ({"dropout": True}, "But for dropout, training mode gives the same"),
        ({"random": True}, "Evaluation mode gives the right values, which may be others"),
    ],
)
def test_what_is_said_of_modes_fits_the_chance_that_there_is(
    chance: dict[str, Any], said: str
) -> None:
    check = Battery(replace(DOMAINS["SelfAttention"], **chance), modes=1).checks()["check_modes"]
    assert (check.__doc__ or "").startswith(said)


@pytest.mark.parametrize(
    ("second", "constant"), [("torch.tensor(4)", True), ("torch.tensor(len(x))", False)]
)
def test_constants_of_several_results_are_no_values(second: str, constant: bool) -> None:
    domain = Domain(
        answer="pair",
        sizes={"N": 3},
        inputs={"x": "N"},
        returns={"any": "", "count": ""},
        differentiable=False,
        doubles=False,
        plain=True,
    )
    check = Battery(domain, everywhere=1).checks()["check_everywhere"]
    student = LiveStudent(names(f"def pair(x):\n    return torch.tensor(True), {second}"))
    told = pytest.raises(UsageError, match="is one number in all cases")
    with told if constant else nullcontext():
        check(student, Recorder({}))


def test_a_part_of_a_battery_has_names_and_expected_tensors_of_its_own() -> None:
    domain = replace(DOMAINS["attention"], part="masked", about="with a mask")
    part = Battery(domain, values=1)
    (name,) = part.checks()
    assert name == "check_masked_values"
    assert (part.checks()[name].__doc__ or "").startswith("With a mask: `attention` gives")
    recorder = Recorder({})
    part.checks()[name](LiveStudent(names(ATTENTION)), recorder)
    assert all(key.startswith("masked:") for key in recorder.tensors)


def test_asking_costs_no_look_at_the_call_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[None] = []  # as `torch.manual_seed` does for each device that is not there
    monkeypatch.setattr(traceback, "format_stack", lambda: looked.append(None) or [])
    assert judge("SelfAttention").failures(PROJECTION) == {}
    assert looked == []


def test_a_case_that_wants_too_much_memory_is_told_as_a_probe_is_that_does() -> None:
    source = re.sub(r"def attention\(.*\):", r"\g<0>\n    raise MemoryError", ATTENTION)
    assert {*judge("attention").statuses(source).values()} == {"memory"}
