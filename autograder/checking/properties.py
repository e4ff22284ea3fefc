"""What checks of several assignments ask for: numbers, sizes, floats, counts and dropout."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import wording
from autograder.checking.asking import Reply
from autograder.checking.comparing import ATOL, RTOL, expect_shape
from autograder.checking.failures import expect

DEVIATIONS = 6.0
"""How far the share that dropout drops may be off, in standard deviations."""


def sizes_of(*sizes: int) -> torch.Tensor:
    return torch.tensor(sizes)


def numbers(seed: int, *shape: int, scale: float = 1.0) -> torch.Tensor:
    """Random numbers that depend on `seed` and `shape` alone."""
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(shape, generator=generator)


def expect_count(reply: Reply, name: str, count: int, sentence: str) -> None:
    """The reply's `name` must be the whole number `count`."""
    found = reply[name]
    expect(type(found) is int and found == count, sentence)


def expect_floats(reply: Reply, name: str, **dims: int) -> torch.Tensor:
    """The floating-point tensor `name` in float64; its sizes as in expect_shape."""
    expect_shape(reply, name, **dims)
    return reply.floats(name)


def buffer_of(module: Any, size: int) -> dict[str, Any]:
    """What a probe tells of the buffer `pe` of a positional encoder, for vectors of a `size`.

    With it whether anything is trained, and whether what is added is what stands in the buffer.
    """
    pe: Any = dict(module.named_buffers()).get("pe")
    trained = any(True for _ in module.parameters())
    vectors = torch.ones(1, 3, size)
    try:
        module.eval()  # dropout, if there is any, is no matter of the buffer
        before = module(vectors)
        module.pe = pe + 1
        used = torch.allclose(module(vectors), before + 1, atol=1e-3)
    except Exception:  # other checks tell what a call raises
        used = True
    return {"pe": pe, "trained": trained, "used": used}


def same(a: torch.Tensor, b: torch.Tensor, atol: float = ATOL) -> bool:
    """Whether two tensors of one shape agree; NaN agrees with nothing."""
    return a.shape == b.shape and torch.allclose(a, b, rtol=RTOL, atol=atol)


def expect_dropped(found: torch.Tensor, whole: torch.Tensor, p: float) -> None:
    """`found` must be `whole` with a share of about `p` set to zero and the rest divided by 1 - p.

    No entry of `whole` may be zero. Where `p` is 0 nothing may be dropped.
    """
    if p == 0:
        expect(same(found, whole), wording.OTHER_SHARE)
        return
    gone = found == 0
    expect(gone.any(), wording.NOT_DROPPED)
    off = abs(float(gone.double().mean()) - p)
    expect(off < DEVIATIONS * (p * (1 - p) / gone.numel()) ** 0.5, wording.OTHER_SHARE)
    expect(same(found[~gone], whole[~gone] / (1 - p)), wording.NOT_RESCALED)
