"""What a probe brings back of the student's errors."""

from __future__ import annotations

import linecache
from typing import Any

import pytest
import torch

from autograder.box.probes import LINE_CHARS, describe, run_probe


def test_the_text_of_an_error_ends_where_torch_lists_its_own_frames() -> None:
    try:
        torch.zeros(2, 4).unflatten(-1, (2, -2))
    except RuntimeError as error:
        told, whole = describe(error)["text"], str(error)
    assert "frame #1" in whole
    assert told.splitlines()[-1] == "invalid shape dimension -2 at index 1 of shape [2, -2]"


def test_a_line_that_calls_itself_without_an_end_is_told_once() -> None:
    source = "def fall(n):\n    return fall(n + 1)\n\ndef rise(n):\n    return fall(n)\n"
    scope: dict[str, Any] = {}
    exec(compile(source, "<ipython-input-1>", "exec"), scope)
    with pytest.raises(RecursionError) as raised:
        scope["rise"](0)
    lines = [line.partition(":")[0] for line in describe(raised.value)["lines"]]
    assert lines == ["line 2"]


def test_a_line_that_is_reached_twice_is_told_where_it_was_reached_last() -> None:
    source = "def fall(n):\n    if n == 0: raise LookupError\n    return fall(n - 1)\nfall(5)\n"
    with pytest.raises(LookupError) as raised:
        exec(compile(source, "<ipython-input-1>", "exec"), {})
    lines = [line.partition(":")[0] for line in describe(raised.value)["lines"]]
    assert lines == ["line 4", "line 3", "line 2"]


def test_a_long_line_of_a_traceback_is_cut() -> None:
    with pytest.raises(ValueError, match="long") as raised:
        exec(compile("raise ValueError('long')  #", "<ipython-input-1>", "exec"), {})
    linecache.cache["<ipython-input-1>"] = (1, None, ["x" * 5000], "")
    try:
        (line,) = describe(raised.value)["lines"]
    finally:
        linecache.cache.clear()
    assert len(line) == LINE_CHARS


UNTOLD = """
class Meta(type):
    @property
    def __name__(cls):
        raise SystemExit


class Untold(Exception, metaclass=Meta):
    def __str__(self):
        raise SystemExit


class NoTraceback(Untold):
    @property
    def __traceback__(self):
        raise SystemExit
"""


@pytest.mark.parametrize("name", ["Untold", "NoTraceback"])
def test_an_error_that_does_not_let_itself_be_read_ends_nothing(name: str) -> None:
    names: dict[str, Any] = {}
    exec(UNTOLD, names)
    run = run_probe(f"def probe(answers): raise answers.{name}", "probe", names, {})
    line = 0 if name == "NoTraceback" else 1
    assert run.error == {"name": name, "text": "", "lines": [], "probe_line": line}


def test_the_kind_of_a_value_is_told_whatever_its_class_says() -> None:
    names: dict[str, Any] = {}
    exec(UNTOLD, names)
    run = run_probe("def probe(answers): return {'y': answers.Untold()}", "probe", names, {})
    assert run.kinds == {"y": "Untold"}


def test_half_a_character_in_what_a_student_wrote_crosses_as_a_question_mark() -> None:
    raising = "def probe(answers): raise ValueError('no \\ud83d')"
    told = {"name": "ValueError", "text": "no ?", "lines": [], "probe_line": 1}
    assert run_probe(raising, "probe", {}, {}).error == told
    run = run_probe("def probe(answers): return {'y': 'a \\udfff'}", "probe", {}, {})
    assert run.values == {"y": "a ?"}
    missing = run_probe("def probe(answers): getattr(answers, '\\ud800')", "probe", {}, {})
    assert missing.error == {"name": "MissingName", "text": "?", "lines": [], "probe_line": 1}
