"""Messages that hold no sound tensors are refused, whatever is wrong with them."""

import io
import json
import pickle
import struct
import tracemalloc
from typing import Any

import pytest
import torch
from spent import processor_seconds
from tensor_messages import F32, message

from autograder.box.tensors import MAX_TENSORS, decode
from autograder.box.wire import HEADER_BYTES
from autograder.errors import BadReply


def test_a_name_in_a_reason_is_short_and_has_no_control_characters() -> None:
    data = message({"\x1b[31m" + "λ" * 1000: {**F32, "dtype": "F7"}}, bytes(8))
    with pytest.raises(BadReply) as refused:
        decode(data)
    assert refused.value.reason.isascii()
    assert refused.value.reason.isprintable()
    assert len(refused.value.reason) < 300


def test_duplicate_tensors_are_refused() -> None:
    entry = json.dumps(F32)
    header = f'{{"x":{entry},"x":{entry}}}'.encode()
    with pytest.raises(BadReply, match="duplicate keys"):
        decode(message(header, bytes(8)))


@pytest.mark.parametrize("key", ['"dtype":"F32"', '"shape":[2]', '"data_offsets":[0,8]'])
def test_duplicate_keys_within_an_entry_are_refused(key: str) -> None:
    header = f'{{"x":{{{key},"dtype":"F32","shape":[2],"data_offsets":[0,8]}}}}'.encode()
    with pytest.raises(BadReply, match="duplicate keys"):
        decode(message(header, bytes(8)))


@pytest.mark.parametrize("count", [200_000, 5_000, MAX_TENSORS + 1])
def test_too_many_tensors_are_refused_in_under_50_ms(count: int) -> None:
    entry = b'{"dtype":"U8","shape":[0],"data_offsets":[0,0]}' if count == 200_000 else b"0"
    data = message(b"{" + b",".join(b'"%d":%s' % (n, entry) for n in range(count)) + b"}")

    def refuse() -> None:
        with pytest.raises(BadReply, match=r"header of|tensors, of 256"):
            decode(data)

    assert min(processor_seconds(refuse) for _ in range(3)) < 0.05


def test_a_header_of_100_mb_is_refused_by_its_length() -> None:
    data = message(b"{}" + b" " * 100_000_000)
    tracemalloc.start()
    with pytest.raises(BadReply, match="header of 100000002 bytes"):
        decode(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000


@pytest.mark.parametrize("length", [2**64 - 1, 2**63, HEADER_BYTES + 1, 3])
def test_a_header_length_beyond_the_cap_or_the_message_is_refused(length: int) -> None:
    with pytest.raises(BadReply, match="tensor header of"):
        decode(struct.pack("<Q", length) + b"{}")


@pytest.mark.parametrize("data", [b"", b"\0" * 7, b"\0" * 8, b"\0" * 9, b"\0" * 16])
def test_a_message_without_a_header_is_refused(data: bytes) -> None:
    with pytest.raises(BadReply):
        decode(data)


class Explosive:
    def __reduce__(self) -> Any:
        return pytest.fail, ("a pickle was opened",)


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("framed", [True, False])
def test_pickles_and_torch_archives_are_refused_unopened(zipped: bool, framed: bool) -> None:
    buffer = io.BytesIO()
    if zipped:
        torch.save({"x": Explosive()}, buffer)
    else:
        pickle.dump(Explosive(), buffer)
    data = message(buffer.getvalue()) if framed else buffer.getvalue()
    with pytest.raises(BadReply):
        decode(data)


@pytest.mark.parametrize(
    "header", [[], [F32], "x", 1, None, {"x": []}, {"x": None}, {"x": "F32"}, {"x": 1}, {"x": {}}]
)
def test_a_header_that_is_no_object_of_objects_is_refused(header: object) -> None:
    with pytest.raises(BadReply):
        decode(message(header, bytes(8)))


@pytest.mark.parametrize("missing", ["dtype", "shape", "data_offsets"])
def test_an_entry_with_a_key_missing_or_extra_is_refused(missing: str) -> None:
    for entry in ({k: v for k, v in F32.items() if k != missing}, {**F32, missing * 2: 1}):
        with pytest.raises(BadReply, match="exactly dtype, shape and data_offsets"):
            decode(message({"x": entry}, bytes(8)))


@pytest.mark.parametrize("metadata", [{}, {"a": "b"}, F32, {"a": 1}, None])
def test_metadata_is_refused(metadata: object) -> None:
    with pytest.raises(BadReply, match="metadata"):
        decode(message({"__metadata__": metadata, "x": F32}, bytes(8)))


@pytest.mark.parametrize(
    "dtype", ["F8_E4M3", "U16", "U64", "C128", "f32", "float32", "", "O", None, 1, [], ["F32"], {}]
)
def test_an_unknown_dtype_is_refused(dtype: object) -> None:
    with pytest.raises(BadReply, match="dtype that is not allowed"):
        decode(message({"x": {**F32, "dtype": dtype}}, bytes(8)))


@pytest.mark.parametrize(
    "shape",
    [
        [-2],
        [-1, -2],
        [2.0],
        [True, 2],
        ["2"],
        [None],
        [[2]],
        2,
        "2",
        None,
        {"0": 2},
        [0, 2**40],
        [0, 2**39, 2**39],
        [2**39, 2**39, 0],
        [0] * 9,
        [1] * 5000,
        [2**32, 2**32],
        [2**63],
        [2**64 + 2],
        [2**39] * 8,
        [10**399],
    ],
)
def test_an_impossible_shape_is_refused(shape: object) -> None:
    for offsets in ([0, 8], [0, 0]):
        entry = {"dtype": "F32", "shape": shape, "data_offsets": offsets}
        with pytest.raises(BadReply, match="impossible shape"):
            decode(message({"x": entry}, bytes(offsets[1])))


@pytest.mark.parametrize(
    "offsets",
    [
        [-8, 0],
        [0, -8],
        [0, 8.0],
        [False, 8],
        ["0", "8"],
        [None, 8],
        [0],
        [],
        [0, 8, 8],
        8,
        "08",
        None,
        {"0": 8},
        [0, 2**64 + 8],
        [2**64 - 8, 2**64],
    ],
)
def test_impossible_offsets_are_refused(offsets: object) -> None:
    with pytest.raises(BadReply, match="impossible offsets"):
        decode(message({"x": {**F32, "data_offsets": offsets}}, bytes(8)))


@pytest.mark.parametrize(
    ("dtype", "shape", "offsets"),
    [
        ("F32", [3], [0, 8]),
        ("F32", [1], [0, 8]),
        ("F32", [], [0, 8]),
        ("F32", [0], [0, 8]),
        ("F32", [2**31], [0, 8]),
        ("F64", [2], [0, 8]),
        ("F32", [2], [8, 0]),
        ("F32", [2], [0, 0]),
    ],
)
def test_a_byte_count_other_than_shape_times_dtype_is_refused(
    dtype: str, shape: list[int], offsets: list[int]
) -> None:
    entry = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
    with pytest.raises(BadReply, match="do not match its shape and dtype"):
        decode(message({"x": entry}, bytes(8)))


@pytest.mark.parametrize(
    ("spans", "size"),
    [
        ([(0, 8), (0, 8)], 16),
        ([(0, 8), (4, 12)], 12),
        ([(0, 8), (12, 20)], 20),
        ([(4, 12)], 12),
        ([(0, 8)], 9),
        ([(0, 8)], 7),
        ([(0, 8), (8, 16)], 8),
        ([(0, 8), (4, 4)], 8),
        ([(0, 8), (9, 9)], 8),
        ([(2**39, 2**39 + 8)], 8),
        ([], 1),
    ],
)
def test_offsets_that_do_not_tile_the_data_are_refused(
    spans: list[tuple[int, int]], size: int
) -> None:
    header = {
        str(n): {"dtype": "U8", "shape": [stop - start], "data_offsets": [start, stop]}
        for n, (start, stop) in enumerate(spans)
    }
    with pytest.raises(BadReply, match=r"overlap or leave a hole|bytes of data"):
        decode(message(header, bytes(size)))


def test_tensors_may_stand_in_any_order_in_the_header() -> None:
    header = {
        "last": {"dtype": "U8", "shape": [1], "data_offsets": [2, 3]},
        "empty": {"dtype": "F32", "shape": [0, 5], "data_offsets": [2, 2]},
        "first": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]},
    }
    result = decode(message(header, b"\1\2\3"))
    assert {name: tensor.tolist() for name, tensor in result.items()} == {
        "last": [3],
        "empty": [],
        "first": [1, 2],
    }


@pytest.mark.parametrize("byte", [2, 0x7F, 0xFF])
def test_booleans_other_than_0_and_1_are_refused(byte: int) -> None:
    entry = {"dtype": "BOOL", "shape": [3], "data_offsets": [0, 3]}
    with pytest.raises(BadReply, match="booleans"):
        decode(message({"x": entry}, bytes([1, byte, 0])))
