"""Any bytes at all are refused, or are tensors that survive another round trip."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from tensor_messages import assert_same, message

from autograder.box.tensors import DTYPES, decode, encode
from autograder.errors import BadReply

thorough = settings(deadline=None, database=None, max_examples=100)
shapes = st.lists(st.integers(0, 3), max_size=4)
sizes = st.integers() | st.sampled_from([0, 1, 2, 4, 8, 2**31, 2**39, 2**40, 2**63])
junk = st.none() | st.booleans() | st.floats() | st.text(max_size=3) | sizes
entries = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(sorted(DTYPES)) | junk,
        "shape": shapes | st.lists(sizes | junk, max_size=10) | junk,
        "data_offsets": st.lists(st.integers(0, 16) | sizes | junk, max_size=3) | junk,
    }
)


@st.composite
def valid_messages(draw: Callable[..., Any]) -> bytes:
    """Encoded messages of a few small tensors with arbitrary bits."""
    tensors = {}
    for name in draw(st.lists(st.text(max_size=5), max_size=4, unique=True)):
        dtype = DTYPES[draw(st.sampled_from(sorted(DTYPES)))]
        shape = draw(shapes)
        size = math.prod(shape) * dtype.itemsize
        raw = bytearray(draw(st.binary(min_size=size, max_size=size)) + b"\0")
        bits = torch.frombuffer(raw, dtype=torch.uint8)[:-1].clone()
        bits = bits % 2 if dtype is torch.bool else bits
        tensors[name] = bits.view(dtype).reshape(shape)
    return encode(tensors)


def assert_refused_or_sound(data: bytes) -> None:
    """Assert that `decode` refuses, or returns tensors that survive another round trip."""
    try:
        tensors = decode(data)
    except BadReply:
        return
    again = decode(encode(tensors))
    assert again.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert tensor.is_contiguous()
        assert tensor.dtype in DTYPES.values()
        assert_same(again[name], tensor)


@thorough
@given(valid_messages())
def test_every_encoded_message_decodes_to_what_it_encodes(data: bytes) -> None:
    tensors = decode(data)
    assert encode(tensors) == data
    loaded = safetensors.torch.load(data)
    assert loaded.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert_same(loaded[name], tensor)


@thorough
@given(st.binary(max_size=100) | st.builds(message, st.binary(), st.binary()))
def test_any_bytes_at_all_are_refused_or_sound(data: bytes) -> None:
    assert_refused_or_sound(data)


@thorough
@given(st.dictionaries(st.text(max_size=3), entries | junk, max_size=3), st.binary(max_size=32))
def test_any_header_at_all_is_refused_or_sound(header: dict[str, Any], data: bytes) -> None:
    assert_refused_or_sound(message(header, data))


@thorough
@given(valid_messages(), st.data())
def test_a_damaged_message_is_refused_or_sound(data: bytes, choices: DataObject) -> None:
    damaged = bytearray(data)
    for _ in range(choices.draw(st.integers(1, 4))):
        place = choices.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = choices.draw(st.integers(0, 255))
    assert_refused_or_sound(bytes(damaged))


@pytest.mark.parametrize("flip", [0x01, 0x08, 0x20, 0x80, 0xFF])
def test_a_message_damaged_in_any_one_byte_is_refused_or_sound(flip: int) -> None:
    sound = encode({"a": torch.ones(2, 3), "b": torch.tensor([True, False])})
    for place in range(len(sound)):
        damaged = bytearray(sound)
        damaged[place] ^= flip
        assert_refused_or_sound(bytes(damaged))


def test_a_message_cut_off_anywhere_or_followed_by_more_is_refused() -> None:
    sound = encode({"a": torch.ones(2, 3), "b": torch.tensor([True, False])})
    for length in range(len(sound)):
        with pytest.raises(BadReply):
            decode(sound[:length])
    with pytest.raises(BadReply, match="bytes of data"):
        decode(sound + b"\0")
