"""Messages that hold tensors, sound or not, and what has to come out of them."""

import json
import math
import struct

import torch

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
