"""What dropout does, for any right answer."""

from __future__ import annotations

import torch

from autograder.checking import expect, same

from . import wording

DEVIATIONS = 6.0
"""How far the share that is dropped may be off, in standard deviations."""


def expect_dropped(found: torch.Tensor, whole: torch.Tensor, p: float) -> None:
    """`found` must be `whole` with a share of about `p` set to zero and the rest divided by 1 - p.

    No entry of `whole` may be zero.
    """
    gone = found == 0
    expect(gone.any(), wording.NOT_DROPPED)
    off = abs(float(gone.double().mean()) - p)
    expect(off < DEVIATIONS * (p * (1 - p) / gone.numel()) ** 0.5, wording.OTHER_SHARE)
    expect(same(found[~gone], whole[~gone] / (1 - p)), wording.NOT_RESCALED)
