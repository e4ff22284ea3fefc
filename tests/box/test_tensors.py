"""Tensors on the wire: plain values survive, and nothing else is sent."""

import json
import math
import struct
from collections.abc import Callable
from typing import Any

import pytest
import safetensors.torch
import torch
from tensor_messages import assert_same, message, sample

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


@pytest.mark.parametrize("text", ["x" * 5000, "形" * 3000, "\x00\n"])
def test_a_text_travels_as_a_tensor(text: str) -> None:
    (found,) = decode(encode({"text": of_text(text)})).values()
    assert text_of(found) == text


def test_of_a_text_that_no_file_can_hold_the_rest_travels() -> None:
    assert text_of(of_text("a\ud800b")) == "a?b"
