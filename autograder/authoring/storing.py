"""Files of tensors, written anew only where a machine's own rounding cannot be what changed."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load

from autograder.checking.comparing import ATOL, RTOL
from autograder.files import write_changed


def write_beyond_rounding(path: Path, data: bytes) -> bool:
    """Puts the safetensors file `data` into `path`, unless it holds as good as that.

    Returns:
        Whether it was written.

    Raises:
        OSError: it cannot be.
    """
    if path.is_file() and _differ_by_rounding(path.read_bytes(), data):
        return False
    return write_changed(path, data)


def _differ_by_rounding(one: bytes, other: bytes) -> bool:
    """Whether names, shapes, dtypes and all that is told beside them are the same."""
    if len(one) != len(other) or _header(one) != _header(other):
        return False
    ours, theirs = load(one), load(other)
    return all(_close(tensor, theirs[name]) for name, tensor in ours.items())


def _header(file: bytes) -> bytes:
    """See https://huggingface.co/docs/safetensors: its length, as eight bytes, stands before it."""
    return file[: 8 + int.from_bytes(file[:8], "little")]


def _close(one: torch.Tensor, other: torch.Tensor) -> bool:
    if not one.is_floating_point():
        return torch.equal(one, other)
    return torch.allclose(one.double(), other.double(), RTOL, ATOL, equal_nan=True)
