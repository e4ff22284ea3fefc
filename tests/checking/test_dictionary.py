"""A battery of a question whose results are the entries of a dictionary."""

from __future__ import annotations

import pytest

from autograder.checking import Domain
from autograder.results import battery_sentences, sentences
from checking.answers import Judge

SPLIT = """
def split(x):
    return {"low": x.clamp(max=0), "high": x.clamp(min=0)}
"""
JUDGE = Judge(
    Domain(
        answer="split",
        sizes={"N": 3, "L": 4},
        inputs={"x": "N L"},
        returns={"low": "N L", "high": "N L"},
        dictionary=True,
    ),
    SPLIT,
)


def test_any_kind_of_dictionary_is_right() -> None:
    assert JUDGE.failures(SPLIT.replace("{", "dict(**{").replace("}", "})")) == {}


@pytest.mark.parametrize(
    "returned",
    [
        "None",
        "x",
        "(x.clamp(max=0), x.clamp(min=0))",
        '{"low": x.clamp(max=0)}',
        '{"low": None, "high": x.clamp(min=0)}',
        '{"a": x.clamp(max=0), "b": x.clamp(min=0)}',
    ],
)
def test_what_is_no_such_dictionary_is_told_what_is_asked_for(returned: str) -> None:
    failures = JUDGE.failures(f"def split(x):\n    return {returned}\n")
    said = failures["values"]
    assert said == battery_sentences.entries(["low", "high"])
    assert failures["gradients"] in said or said in failures["gradients"]
    assert said == "Your answer should return a dictionary with numbers in `low` and `high`."


def test_an_entry_of_another_kind_is_told_by_its_kind() -> None:
    source = 'def split(x):\n    return {"low": [1], "high": x.clamp(min=0)}\n'
    assert JUDGE.failures(source)["values"] == sentences.not_a_tensor("low", "list")


def test_a_dictionary_may_have_one_entry() -> None:
    mean = "def mean(x):\n    return {'mean': x.mean(-1)}\n"
    domain = Domain(
        answer="mean",
        sizes={"N": 3, "L": 4},
        inputs={"x": "N L"},
        returns={"mean": "N"},
        dictionary=True,
    )
    judge = Judge(domain, mean)
    assert judge.failures(mean.replace("x.mean(-1)", "x.sum(-1) / x.shape[-1]")) == {}
    bare = judge.failures("def mean(x):\n    return x.mean(-1)\n")
    assert bare["values"] == battery_sentences.entries(["mean"])
