"""Tensors on the wire: plain values survive, everything else is refused."""

import io
import json
import math
import pickle
import struct
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from autograder.box.tensors import (
    DTYPES,
    MAX_DIMENSIONS,
    MAX_TENSORS,
    decode,
    encode,
    of_text,
    text_of,
)
from autograder.box.wire import HEADER_BYTES
from autograder.errors import BadReply

thorough = settings(deadline=None, database=None, max_examples=100)
F32 = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


def message(header: object, data: bytes = b"") -> bytes:
    """Return the bytes of a message with any header, which may be raw bytes."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def sample(dtype: torch.dtype, shape: tuple[int, ...] = (2, 3)) -> torch.Tensor:
    """Return a tensor of the dtype whose elements differ."""
    numbers = torch.arange(math.prod(shape)).reshape(shape)
    return numbers % 2 == 1 if dtype is torch.bool else (numbers - 2).to(dtype)


def assert_same(left: torch.Tensor, right: torch.Tensor) -> None:
    """Assert equal dtypes, shapes and bits, NaN payloads and signed zeros included."""
    assert left.dtype == right.dtype
    assert left.shape == right.shape
    copies = [t.clone(memory_format=torch.contiguous_format) for t in (left, right)]
    bits = [copy.reshape(-1).view(torch.uint8) for copy in copies]
    assert torch.equal(*bits)


def round_trip(tensor: torch.Tensor) -> torch.Tensor:
    return decode(encode({"x": tensor}))["x"]


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0,), (3, 0, 2), (1,) * MAX_DIMENSIONS])
def test_every_dtype_and_shape_comes_back_equal(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    tensor = sample(dtype, shape)
    assert_same(round_trip(tensor), tensor)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(3.0).expand(4, 3),
        torch.tensor(2.0).expand(2, 2),
        torch.arange(6).reshape(2, 3).t(),
        torch.arange(10)[3:9:2],
        torch.arange(10)[4::8],
        torch.arange(10.0).reshape(2, 5)[1:, ::4][:, 1:],
        torch.arange(24.0).reshape(1, 2, 3, 4).to(memory_format=torch.channels_last),
        torch.tensor([1 + 2j, 3 - 4j]).conj(),
        torch.tensor([1 + 2j, 3 - 4j]).conj().imag,
        torch.tensor([1 + 2j]).conj().imag,
        torch.tensor([[1.5, -0.0], [math.inf, -math.inf]], requires_grad=True),
        torch.ones(2, requires_grad=True) * 3,
        torch.nn.Parameter(torch.arange(3.0)),
        torch.tensor([0x7FC00001, 0x7F800001, -1], dtype=torch.int32).view(torch.float32),
    ],
)
def test_only_the_plain_values_of_an_odd_tensor_cross(tensor: torch.Tensor) -> None:
    result = round_trip(tensor)
    assert_same(result, tensor.detach().resolve_conj().resolve_neg())
    assert type(result) is torch.Tensor
    assert not result.requires_grad
    assert result.is_contiguous()


def test_a_tensor_made_in_inference_mode_crosses() -> None:
    with torch.inference_mode():
        tensor = torch.ones(2)
    assert round_trip(tensor).tolist() == [1.0, 1.0]


def test_aliased_tensors_come_back_apart() -> None:
    base = torch.zeros(4)
    result = decode(encode({"a": base, "b": base, "c": base[1:]}))
    result["a"].fill_(1)
    assert result["b"].tolist() == [0.0] * 4
    assert result["c"].tolist() == [0.0] * 3


def test_decoded_tensors_do_not_touch_the_message_they_came_from() -> None:
    data = encode({"x": torch.zeros(3), "flag": torch.tensor([True])})
    before = bytes(bytearray(data))
    for tensor in decode(data).values():
        tensor.fill_(1)
    assert data == before


def test_decoded_tensors_are_aligned_whatever_their_place_in_the_message() -> None:
    header = {
        "flag": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
        "x": {"dtype": "F64", "shape": [1], "data_offsets": [1, 9]},
    }
    result = decode(message(header, b"\x07" + struct.pack("<d", 2.5)))
    assert result["x"].item() == 2.5
    assert result["x"].data_ptr() % 8 == 0


def test_encoded_tensors_are_aligned_within_the_message() -> None:
    data = encode({"flag": torch.tensor([True]), "x": torch.ones(1, dtype=torch.float64)})
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    assert length % 8 == 0
    assert header["x"]["data_offsets"] == [0, 8]
    assert header["flag"]["data_offsets"] == [8, 9]


class Liar(torch.Tensor):
    """Claims to be ones, whatever is asked of it."""

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> torch.Tensor:
        return torch.ones(3)

    def detach(self) -> torch.Tensor:
        return torch.ones(3)

    def contiguous(self, *_: Any, **__: Any) -> torch.Tensor:
        return torch.ones(3)

    numpy = cpu = clone = view = reshape = contiguous  # type: ignore[assignment]


def test_a_subclass_that_lies_about_itself_is_sent_as_its_raw_values() -> None:
    liar = torch.zeros(3).as_subclass(Liar)
    assert round_trip(liar).tolist() == [0.0, 0.0, 0.0]


def test_functions_that_are_patched_later_do_not_change_what_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("detach", "cpu", "clone", "reshape", "view", "numpy"):
        monkeypatch.setattr(torch.Tensor, name, lambda *_: torch.ones(3))
    monkeypatch.setattr(safetensors.torch, "save", lambda *_: b"forged")
    monkeypatch.setattr(json, "dumps", lambda *_, **__: "forged")
    data = encode({"x": torch.zeros(3)})
    monkeypatch.undo()
    assert decode(data)["x"].tolist() == [0.0, 0.0, 0.0]


def test_a_default_device_of_the_notebook_does_not_move_decoded_tensors() -> None:
    data = encode({"x": torch.ones(2)})
    with torch.device("meta"):
        assert decode(data)["x"].tolist() == [1.0, 1.0]
        assert encode({"x": decode(data)["x"]}) == data


class Hollow(torch.Tensor):
    """Has a shape and no storage, and answers every operation with itself."""

    @staticmethod
    def __new__(cls) -> "Hollow":
        return torch.Tensor._make_wrapper_subclass(cls, (3,), dtype=torch.float32)

    @classmethod
    def __torch_dispatch__(cls, *_: Any) -> Any:
        return cls.__new__(cls)


@pytest.mark.parametrize(
    "make",
    [
        Hollow,
        lambda: [1.0, 2.0],
        lambda: None,
        lambda: torch.ones(2).numpy(),
        lambda: torch.ones(2).to_sparse(),
        lambda: torch.ones(2, device="meta"),
        lambda: torch.ones(2, dtype=torch.complex128),
        lambda: torch.ones(2).to(torch.float8_e4m3fn),
        lambda: torch.zeros(2, dtype=torch.uint16),
        lambda: torch.ones(1).expand(2**39),
    ],
)
def test_what_is_no_dense_tensor_of_an_allowed_dtype_is_not_encoded(
    make: Callable[[], Any],
) -> None:
    with pytest.raises(TypeError, match="'x'"):
        encode({"x": make()})


def test_names_and_counts_that_would_be_refused_are_not_encoded() -> None:
    one = torch.ones(1)
    with pytest.raises(ValueError, match="at most 256 tensors, not 257"):
        encode({str(number): one for number in range(MAX_TENSORS + 1)})
    with pytest.raises(ValueError, match="__metadata__"):
        encode({"__metadata__": one})
    with pytest.raises(ValueError, match="header has at most 65536 bytes"):
        encode({"x" * HEADER_BYTES: one})
    with pytest.raises(ValueError, match="9 dimensions, of 8 allowed"):
        encode({"x": one.reshape([1] * 9)})
    with pytest.raises(ValueError, match="a shape that is too large"):
        encode({"x": one.expand(2**45)})
    with pytest.raises(ValueError, match="surrogates"):
        encode({"\ud800": one})
    with pytest.raises(TypeError, match="name is a string, not int"):
        encode({1: one})  # type: ignore[dict-item]


def test_no_tensors_and_the_most_tensors_both_cross() -> None:
    assert decode(encode({})) == {}
    most = {f"tensor {number}": torch.tensor(number) for number in range(MAX_TENSORS)}
    assert {k: int(v) for k, v in decode(encode(most)).items()} == {
        name: int(tensor) for name, tensor in most.items()
    }


def test_safetensors_reads_what_encode_writes() -> None:
    tensors = {name: sample(dtype, (3,)) for name, dtype in DTYPES.items()}
    tensors |= {"": torch.tensor(1), "é\n": torch.ones(0, 2), "t": torch.ones(2, 3).t()}
    loaded = safetensors.torch.load(encode(tensors))
    assert loaded.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert_same(loaded[name], tensor)


def test_decode_reads_what_safetensors_writes() -> None:
    tensors = {name: sample(dtype, (3,)) for name, dtype in DTYPES.items()}
    tensors |= {"": torch.tensor(1), "é\n": torch.ones(0, 2)}
    decoded = decode(safetensors.torch.save(tensors))
    for name, tensor in tensors.items():
        assert_same(decoded[name], tensor)


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
    took = []
    for _ in range(3):  # in one of them this process may look for its garbage
        start = time.process_time()
        with pytest.raises(BadReply, match=r"header of|tensors, of 256"):
            decode(data)
        took.append(time.process_time() - start)
    assert min(took) < 0.05


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


@pytest.mark.parametrize("text", ["x" * 5000, "形" * 3000, "\x00\n"])
def test_a_text_travels_as_a_tensor(text: str) -> None:
    (found,) = decode(encode({"text": of_text(text)})).values()
    assert text_of(found) == text


def test_of_a_text_that_no_file_can_hold_the_rest_travels() -> None:
    assert text_of(of_text("a\ud800b")) == "a?b"
