"""What a reply tells as text is parsed as hostile: what is odd is a bad reply, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from autograder.box.inside import examination
from autograder.box.probes import ProbeRun
from autograder.checking import CheckFailure, Domain, Reply
from autograder.checking.battery_replies import facts_in, shapes_in
from checking.answers import Judge

ERROR = {"name": "ValueError", "text": "no", "lines": ["line 1: raise"]}
ODD_FACTS = {
    "names that are a number": {"unregistered": 5},
    "names that are numbers": {"changed": [1]},
    "a list for a table": {"attributes": []},
    "a text for an error": {"error": "ValueError"},
    "an error without lines": {"error": {"name": "ValueError", "text": "no"}},
    "an error with lines that are a number": {"backward": {**ERROR, "lines": 5}},
    "an error without a name": {"error": {"text": "no", "lines": []}},
    "a number for a truth": {"forgets": 1},
    "what no box tells": {"score": 10},
}
ODD_TEXTS = {
    "no JSON": "{",
    "two values": '{}, "more": {}',
    "nothing": "null",
    "a list of it": "[[]]",
    "nested deeply": "[" * 60_000,
    "a number beyond all": '[["w", [1e999]]]',
    "infinity": '[["w", [Infinity]]]',
    "half a character": '{"\\ud800": {}}',
    "half a character, plain": '{"\ud800": {}}',
    "a shape that is a number": '[["w", 3]]',
    "a name that is a number": "[[3, [3]]]",
    "a size that is no whole number": '[["w", [1.5]]]',
}


def told(text: Any) -> Reply:
    return Reply(ProbeRun(values={"told": text}))


@pytest.mark.parametrize("facts", ODD_FACTS.values(), ids=ODD_FACTS)
def test_facts_of_another_form_are_a_bad_reply(facts: dict[str, Any]) -> None:
    with pytest.raises(CheckFailure, match="returned no `told`") as caught:
        facts_in(told(json.dumps({"example": facts})))
    assert caught.value.status == "bad_reply"


@pytest.mark.parametrize("read", [facts_in, shapes_in])
@pytest.mark.parametrize("text", [*ODD_TEXTS.values(), 5], ids=[*ODD_TEXTS, "a number"])
def test_texts_of_another_form_are_a_bad_reply(read: Callable[..., Any], text: Any) -> None:
    arguments = [] if read is facts_in else ["told"]
    with pytest.raises(CheckFailure) as caught:
        read(told(text), *arguments)
    assert caught.value.status == "bad_reply"


def test_a_shape_has_no_more_sizes_than_a_tensor_may_have() -> None:
    assert shapes_in(told(json.dumps([["w", [1] * 8]])), "told") == {"w": (1,) * 8}
    with pytest.raises(CheckFailure):
        shapes_in(told(json.dumps([["w", [1] * 124_000]])), "told")


def test_what_a_box_tells_is_told() -> None:
    facts = {"example": {"error": ERROR, "count": 2, "kinds": {"text": "str"}, "changed": ["x"]}}
    assert facts_in(told(json.dumps(facts))) == facts
    assert shapes_in(told('[["w", [2, 3]], ["b", []]]'), "told") == {"w": (2, 3), "b": ()}


def test_a_result_may_be_called_text() -> None:
    read = "def read(x):\n    return x.flatten(), x.sum(1)"
    sizes = {"N": 2, "L": 3}
    domain = Domain("read", sizes, {"x": "N L"}, {"flat": "N*L", "text": "N"})
    failures = Judge(domain, read).failures(read.replace("x.sum(1)", "'text'"))
    assert failures["values"] == "`text` is of type str; expected a torch.Tensor."


def _with(true: Callable[..., dict[str, Any]], more: dict[str, Any], *asked: Any) -> dict[str, Any]:
    return {**true(*asked), **more}


def test_a_battery_that_is_told_nonsense_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = """
class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.layer = nn.Linear(d, d)

    def forward(self, x):
        return self.layer(x)
"""
    judged = Judge(Domain("Layer", {"N": 2, "d": 3}, {"x": "N d"}, {"y": "N d"}, ("d",)), layer)
    for probe, name in (("examine", "told"), ("outline", "parameters")):
        true = getattr(examination, probe)
        with monkeypatch.context() as patched:
            nonsense = {name: '[["w", [1e999]]]'}
            patched.setattr(
                examination, probe, lambda *asked, n=nonsense, t=true: {**t(*asked), **n}
            )
            failures = judged.failures(layer)
        assert set(failures.values()) == {f"Your code returned no `{name}`."}
