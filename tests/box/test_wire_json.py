"""The header of a frame is one strict JSON object: all other text is refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire_frames import MIB, thorough

from autograder.box.wire import MAX_DIGITS, MAX_NESTING, parse_json_object
from autograder.errors import BadReply


def parsed(text: str | bytes) -> dict[str, Any]:
    data = text if isinstance(text, bytes) else text.encode()
    return parse_json_object(data, max_bytes=MIB)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "[]", "[{}]", "1", "null", '"text"', "{", "{}{}", "{} x", "{'a': 1}"),
        *("\ufeff{}", '{"a":1,}', '{"a":"\n"}', "{a: 1}", '{"a":01}', '{"a":+1}', '{"a":.5}'),
    ],
)
def test_text_that_is_not_a_json_object_is_refused(text: str) -> None:
    with pytest.raises(BadReply):
        parsed(text)


@pytest.mark.parametrize(
    "text",
    ['{"a":1,"a":1}', '{"b":{"a":1,"a":2}}', '[[{"a":1,"a":2}]]', r'{"a":1,"\u0061":2}'],
)
def test_duplicate_keys_are_refused_at_any_depth_and_in_any_spelling(text: str) -> None:
    with pytest.raises(BadReply, match="duplicate keys"):
        parsed(text)


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_numbers_that_are_not_finite_are_refused(literal: str) -> None:
    with pytest.raises(BadReply, match="number"):
        parsed(f'{{"a":[{literal}]}}')


@pytest.mark.parametrize("size", [MAX_DIGITS + 1, 4301, 60_000])
@pytest.mark.parametrize("form", ["{}", "-{}", "0.{}", "1e{}", "{}e-60000"])
def test_numbers_with_endless_digits_are_refused(form: str, size: int) -> None:
    with pytest.raises(BadReply, match="number"):
        parsed(f'{{"a":{form.format("1" * size)}}}')


def test_the_longest_allowed_integer_is_read_exactly() -> None:
    assert parsed(f'{{"a":-{"9" * MAX_DIGITS}}}') == {"a": 1 - 10**MAX_DIGITS}


@pytest.mark.parametrize("depth", [MAX_NESTING + 1, 990, 30_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_json_nested_too_deeply_is_refused(opening: str, closing: str, depth: int) -> None:
    inner = opening * (depth - 1) + "0" + closing * (depth - 1)
    with pytest.raises(BadReply, match="too deeply"):
        parsed(f'{{"a":{inner}}}')


def test_the_deepest_allowed_nesting_and_many_small_objects_are_read() -> None:
    text = '{"a":' * MAX_NESTING + "0" + "}" * MAX_NESTING
    assert json.dumps(parsed(text), separators=(",", ":")) == text
    assert parsed(f'{{"many":[{{}},[]],{text[1:]}')["a"] == parsed(text)["a"]
    assert parsed(json.dumps({"a": [{}] * 1000})) == {"a": [{}] * 1000}


@pytest.mark.parametrize(
    "data",
    [b'{"a":"\xff"}', b'{"a":"\xc0\x80"}', b'{"a":"\xed\xa0\x80"}', b"\xff\xfe{\0}\0", b"{\0}\0"],
)
def test_bytes_that_are_not_utf8_text_are_refused(data: bytes) -> None:
    with pytest.raises(BadReply, match="not JSON in UTF-8"):
        parsed(data)


@pytest.mark.parametrize(
    "text",
    [r'{"a":"\ud800"}', r'{"a":"\uDC00"}', r'{"\ud83d":1}', r'{"a":[[{"b":"x\ud83dy"}]]}'],
)
def test_lone_surrogates_are_refused(text: str) -> None:
    with pytest.raises(BadReply, match="surrogate"):
        parsed(text)


def test_an_escaped_pair_of_surrogates_is_one_character() -> None:
    assert parsed(r'{"a":"\ud83d\ude42"}') == {"a": "🙂"}


def test_json_longer_than_the_cap_is_refused_before_it_is_parsed() -> None:
    assert parse_json_object(b"{}", max_bytes=2) == {}
    with pytest.raises(BadReply, match="3 bytes, of 2 allowed"):
        parse_json_object(b"{} ", max_bytes=2)


def test_a_refusal_states_its_reason_without_repeating_what_the_box_wrote() -> None:
    with pytest.raises(BadReply) as refused:
        parsed('{"\x1b[31m<script>":1,"\x1b[31m<script>":2}')
    assert refused.value.reason == "text that is not JSON in UTF-8"


@thorough
@given(st.text(alphabet='{}[]":,\\ud8eE+-.0123456789 trufalsnNI', max_size=60))
def test_any_text_parses_to_an_object_or_is_refused(text: str) -> None:
    try:
        value = parsed(text)
    except BadReply:
        return
    assert parsed(json.dumps(value, allow_nan=False)) == value
