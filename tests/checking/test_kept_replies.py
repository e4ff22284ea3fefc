"""Of a reply a battery keeps what it asked for, and believes what may be so."""

from __future__ import annotations

import gc
import json
from contextlib import suppress
from typing import Any

import pytest
import torch

from autograder.authoring.live import LiveStudent
from autograder.box.inside import examination
from autograder.checking import Reply
from autograder.checking.aspects import Examination
from autograder.checking.expected import Expected, Recorder
from autograder.checking.failures import CheckFailure
from autograder.checking.kept import SPARE_BYTES, ReplyTensors
from autograder.checking.structures import Structure
from checking.answers import battery_of, names
from checking.questions import DOMAINS, PROJECTION, SOLUTIONS, changed, judge


@pytest.mark.parametrize("key_dim", ["key_dim", "64"])
def test_what_was_asked_is_forgotten_with_the_one_who_was_asked(key_dim: str) -> None:
    checks, recorder = battery_of(DOMAINS["SelfAttention"]).checks(), Recorder({})

    def ask(source: str, expected: Expected) -> None:
        student = LiveStudent(names(source))
        for check in checks.values():
            with suppress(CheckFailure):
                check(student, expected)

    ask(PROJECTION, recorder)
    expected, layer = Expected(recorder.tensors), "self.query = nn.Linear(input_dim, {})"
    answer = PROJECTION.replace(layer.format("key_dim"), layer.format(key_dim))

    def alive() -> int:
        gc.collect()
        return sum(type(one) is Examination for one in gc.get_objects())

    before = alive()
    ask(answer, expected)
    assert alive() <= before


def test_of_a_reply_only_what_was_asked_for_is_kept() -> None:
    domain, size = DOMAINS["attention"], 1 << 20
    (case, *_) = domain.cases()
    sent = {
        "example/output": torch.zeros(2, 3, 6),
        "example/weights": torch.ones(size),
        "example/gradient/q": torch.ones(size),
        "example/junk": torch.zeros(1),
        "other/output": torch.zeros(1),
    }
    found = ReplyTensors(domain).of(Reply.of(sent), case, Structure({}, [case]))
    assert set(found) == {"example/output", "example/weights", "example/gradient/q"}
    assert [one.shape for one in found.values()] == [sent[name].shape for name in found]
    assert sum(one.untyped_storage().nbytes() for one in found.values()) < SPARE_BYTES


def test_beside_a_result_that_is_far_too_large_the_others_keep_their_numbers() -> None:
    (case, *_) = DOMAINS["attention"].cases()
    sent = {"example/output": torch.ones(1 << 20), "example/weights": torch.randn(2, 3, 5)}
    found = ReplyTensors(DOMAINS["attention"]).of(Reply.of(sent), case, Structure({}, [case]))
    assert not found["example/output"].any()
    assert torch.equal(found["example/weights"], sent["example/weights"])


def test_a_fact_that_says_numbers_are_random_is_not_believed_where_none_may_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As student code would that changes what the box tells of it."""
    judged = judge("attention")
    true = examination.examine

    def forged(*asked: Any) -> dict[str, Any]:
        reply = true(*asked)
        told = {case: {**facts, "drops_by_hand": True} for case, facts in parsed(reply).items()}
        return {**reply, "told": json.dumps(told)}

    def parsed(reply: dict[str, Any]) -> dict[str, dict[str, Any]]:
        return json.loads(reply["told"])

    monkeypatch.setattr(examination, "examine", forged)
    only_there = changed("attention", ("return weights @ v, weights", "return RETURNED"))
    right_there = "(weights @ v if q.shape == (2, 3, 4) else 0 * (weights @ v)), weights"
    found = judged.failures(only_there.replace("RETURNED", right_there))
    assert "sizes" in found


def test_a_fact_of_the_recording_is_not_believed_later(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = judge("attention")
    true = examination.examine

    def forged(*asked: Any) -> dict[str, Any]:
        reply = true(*asked)
        told = json.loads(reply["told"])
        told = {case: {**facts, "slopes": ["what I like"]} for case, facts in told.items()}
        return {**reply, "told": json.dumps(told)}

    monkeypatch.setattr(examination, "examine", forged)
    assert judged.failures(SOLUTIONS["attention"]) == {}
