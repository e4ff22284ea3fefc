"""Tensors as bytes in the safetensors layout: 8-byte little-endian header length, JSON, data.

The grader's safety rests on `decode`. It reads the layout itself and takes nothing that is
not exactly as `encode` could have written it; it never unpickles. `encode` runs beside student
code: it takes the plain values of whatever it is given and uses functions that were looked
up before that code ran.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from autograder.box.wire import HEADER_BYTES, parse_json_object
from autograder.errors import BadReply

MAX_TENSORS = 256
"""Most tensors in one message."""

MAX_DIMENSIONS = 8
"""Most dimensions of one tensor."""

REPLY_BYTES = 64 << 20
"""Most bytes of the tensors that a probe brings back."""

TEXT_BYTES = 256 << 10
"""Most bytes of the texts in one message that travel as tensors."""

DTYPES: dict[str, torch.dtype] = {
    "BOOL": torch.bool,
    "U8": torch.uint8,
    "I8": torch.int8,
    "I16": torch.int16,
    "I32": torch.int32,
    "I64": torch.int64,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F32": torch.float32,
    "F64": torch.float64,
    "C64": torch.complex64,
}
"""Every dtype that crosses, by its safetensors name."""

_DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}
_SIZE_LIMIT = 2**40
_LENGTH = struct.Struct("<Q")
_ENTRY_KEYS = {"dtype", "shape", "data_offsets"}
_METADATA = "__metadata__"

_PlainOnly = torch._C.DisableTorchFunction
_detach = torch.Tensor.detach
_cpu = torch.Tensor.cpu
_clone = torch.Tensor.clone
_is_conjugated, _is_negated = torch.Tensor.is_conj, torch.Tensor.is_neg
_view = torch.Tensor.view
_numpy = torch.Tensor.numpy
_dumps = json.dumps


def encode(tensors: Mapping[str, torch.Tensor], most: int = 0) -> bytes:
    """Return named tensors as safetensors bytes that `decode` accepts.

    The plain values are taken: views, aliases, autograd history and the overrides of
    subclasses leave no trace. Larger elements come first, so that all are aligned.

    Raises TypeError for what is not a dense tensor of an allowed dtype, and ValueError for
    names and counts that `decode` would refuse, and for more than `most` bytes, if that is given.
    """
    if len(tensors) > MAX_TENSORS:
        raise ValueError(f"a message has at most {MAX_TENSORS} tensors, not {len(tensors)}")
    plain = {_checked_name(name): _plain(name, tensor) for name, tensor in tensors.items()}
    if most and sum(tensor.nbytes for tensor in plain.values()) > most:
        largest = max(plain.values(), key=lambda tensor: tensor.nbytes)
        raise ValueError(
            f"what came back has more than {most >> 20} MiB, which is too much; the largest tensor "
            f"of it has the shape {tuple(largest.shape)}"
        )
    header: dict[str, Any] = {}
    pieces: list[bytes] = []
    start = 0
    for name in sorted(plain, key=lambda name: -plain[name].itemsize):
        tensor = plain[name]
        pieces.append(_raw(name, tensor))
        stop = start + len(pieces[-1])
        header[name] = {
            "dtype": _DTYPE_NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [start, stop],
        }
        start = stop
    text = _dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > HEADER_BYTES:
        raise ValueError(f"a header has at most {HEADER_BYTES} bytes, not {len(text)}")
    return b"".join([_LENGTH.pack(len(text)), text, *pieces])


def decode(data: bytes) -> dict[str, torch.Tensor]:
    """Return the tensors in `data`, which may come from an enemy, in memory of their own.

    All tensors are contiguous, on the CPU and writable.

    Raises BadReply for anything that `encode` could not have written.
    """
    if len(data) < _LENGTH.size:
        raise BadReply(f"tensors in {len(data)} bytes")
    (header_length,) = _LENGTH.unpack_from(data)
    if header_length > min(HEADER_BYTES, len(data) - _LENGTH.size):
        raise BadReply(f"a tensor header of {header_length} bytes")
    data_start = _LENGTH.size + header_length
    header = parse_json_object(data[_LENGTH.size : data_start], max_bytes=HEADER_BYTES)
    _check_names(header)
    layout = {name: _checked_entry(name, entry) for name, entry in header.items()}
    _check_tiling([span for _, _, span in layout.values()], len(data) - data_start)
    content = np.frombuffer(data, dtype=np.uint8)[data_start:]
    return {
        name: _tensor(name, dtype, shape, content[start:stop])
        for name, (dtype, shape, (start, stop)) in layout.items()
    }


def odd_kind(tensor: torch.Tensor) -> str:
    """What kind of tensor it is, if `encode` refuses that kind; empty if not."""
    with _PlainOnly():
        if tensor.is_meta:
            return "meta torch.Tensor"
        if tensor.layout is not torch.strided or tensor.is_nested:
            return "sparse or nested torch.Tensor"
        if tensor.dtype not in _DTYPE_NAMES:
            return f"torch.Tensor of {tensor.dtype}"
        if tensor.dim() > MAX_DIMENSIONS or _is_impossible(tensor.shape):
            return f"torch.Tensor of shape {list(tensor.shape)}"
    return ""


def of_text(text: str) -> torch.Tensor:
    """A text as bytes, shape (length,), for one that is too long for a header."""
    return torch.frombuffer(bytearray(text.encode("utf-8", errors="replace")), dtype=torch.uint8)


def text_of(tensor: torch.Tensor) -> str:
    """The text that `of_text` was given.

    Raises BadReply for what it could not have made.
    """
    if tensor.dtype is not torch.uint8 or tensor.dim() != 1:
        raise BadReply("a text that is no row of bytes")
    try:
        return tensor.numpy().tobytes().decode()
    except UnicodeDecodeError as error:
        raise BadReply("a text that is not UTF-8") from error


def united(tensors: Mapping[str, torch.Tensor], most: int) -> dict[str, torch.Tensor]:
    """The tensors where of those with fractions that have one shape the first `most` are one."""
    made: dict[str, torch.Tensor] = {}
    alike: dict[torch.Size, list[torch.Tensor]] = {}
    for name, tensor in tensors.items():
        others = alike.setdefault(tensor.shape, []) if tensor.is_floating_point() else []
        made[name] = others[0] if 0 < len(others) < most else tensor
        others.append(tensor)
    return made


def _checked_name(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"a tensor's name is a string, not {type(name).__name__}")
    if name == _METADATA:
        raise ValueError(f"no tensor can be named {_METADATA}")
    return name


def _plain(name: str, tensor: torch.Tensor) -> torch.Tensor:
    """Return the values of `tensor` as a dense CPU tensor of no subclass and of any strides."""
    try:
        with _PlainOnly():
            plain = _cpu(_detach(tensor))
            if _is_conjugated(plain) or _is_negated(plain):  # bits that only a copy has applied
                plain = _clone(plain)
    except (TypeError, RuntimeError) as error:
        raise TypeError(f"{name!r} is not a dense tensor that fits into memory") from error
    if plain.dtype not in _DTYPE_NAMES:
        raise TypeError(f"{name!r} has dtype {plain.dtype}, which is not among those allowed")
    if plain.dim() > MAX_DIMENSIONS:
        raise ValueError(f"{name!r} has {plain.dim()} dimensions, of {MAX_DIMENSIONS} allowed")
    if _is_impossible(plain.shape):
        raise ValueError(f"{name!r} has a shape that is too large: {list(plain.shape)}")
    return plain


def _raw(name: str, tensor: torch.Tensor) -> bytes:
    """Return the bytes of a plain tensor, row after row."""
    try:
        with _PlainOnly():
            return _array(tensor).tobytes()
    except (TypeError, RuntimeError, MemoryError) as error:
        raise TypeError(f"{name!r} is not a dense tensor that fits into memory") from error


def _array(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    """Return a plain tensor as an array in the same memory; NumPy has no bfloat16."""
    return _numpy(_view(tensor, torch.int16) if tensor.dtype is torch.bfloat16 else tensor)


def _check_names(header: dict[str, Any]) -> None:
    if _METADATA in header:
        raise BadReply("tensors with metadata")
    if len(header) > MAX_TENSORS:
        raise BadReply(f"{len(header)} tensors, of {MAX_TENSORS} allowed")


def _checked_entry(name: str, entry: object) -> tuple[torch.dtype, list[int], tuple[int, int]]:
    """Return dtype, shape and byte range of one entry, which agree with each other."""
    if not isinstance(entry, dict) or set(entry) != _ENTRY_KEYS:
        raise BadReply(f"tensor {_quoted(name)} without exactly dtype, shape and data_offsets")
    dtype_name, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype_name, str) or dtype_name not in DTYPES:
        raise BadReply(f"tensor {_quoted(name)} of a dtype that is not allowed")
    if not _are_sizes(shape) or len(shape) > MAX_DIMENSIONS:
        raise BadReply(f"tensor {_quoted(name)} of an impossible shape")
    if not _are_sizes(offsets) or len(offsets) != 2:
        raise BadReply(f"tensor {_quoted(name)} with impossible offsets")
    dtype = DTYPES[dtype_name]
    if _is_impossible(shape):
        raise BadReply(f"tensor {_quoted(name)} of an impossible shape")
    start, stop = offsets
    if stop - start != math.prod(shape) * dtype.itemsize:
        raise BadReply(f"tensor {_quoted(name)} whose bytes do not match its shape and dtype")
    return dtype, shape, (start, stop)


def _is_impossible(shape: Sequence[int]) -> bool:
    """Whether torch's strides overflow, which a zero among the sizes must not hide."""
    sizes = [size or 1 for size in shape] if 0 in shape else shape
    return math.prod(sizes) >= _SIZE_LIMIT


def _are_sizes(value: object) -> bool:
    return isinstance(value, list) and all(
        type(size) is int and 0 <= size < _SIZE_LIMIT for size in value
    )


def _check_tiling(spans: list[tuple[int, int]], size: int) -> None:
    """Refuse byte ranges that leave a hole, overlap or do not end with the data."""
    end = 0
    for start, stop in sorted(spans):
        if start != end:
            raise BadReply("tensors that overlap or leave a hole")
        end = stop
    if end != size:
        raise BadReply(f"tensors of {end} bytes in {size} bytes of data")


def _tensor(
    name: str, dtype: torch.dtype, shape: list[int], raw: np.ndarray[Any, Any]
) -> torch.Tensor:
    if dtype is torch.bool and raw.size and raw.max() > 1:
        raise BadReply(f"tensor {_quoted(name)} with booleans other than 0 and 1")
    tensor = torch.empty(shape, dtype=dtype, device="cpu")
    array = _array(tensor)
    array[...] = raw.view(array.dtype).reshape(shape)
    return tensor


def _quoted(name: str) -> str:
    """Return a name for a message, without control characters and not too long."""
    return ascii(name[:40])
