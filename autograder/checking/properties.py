"""Properties that every assignment asks for: gradients, dtype, device, untouched inputs."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from autograder.checking import wording
from autograder.checking.assertions import Reply, expect
from autograder.checking.comparing import expect_shape
from autograder.results import sentences

DEVIATIONS = 6.0
"""How far the share that dropout drops may be off, in standard deviations."""


def sizes_of(*sizes: int) -> torch.Tensor:
    return torch.tensor(sizes)


def numbers(seed: int, *shape: int, scale: float = 1.0) -> torch.Tensor:
    """Random numbers that depend on `seed` and `shape` alone."""
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(shape, generator=generator)


def expect_gradients(reply: Reply, inputs: int = 1, **dims: int) -> None:
    """Nothing may be without a gradient; those of the inputs and the matrices may not be zero.

    The reply's `gradients` are the largest of each tensor, `inputs` inputs first.

    The gradient of a bias may: adding one vector to all keys changes no weight.
    """
    expect_shape(reply, "output", **dims)
    expect("gradients" in reply, sentences.no_gradient())
    found, ranks = reply.tensor("gradients"), reply.tensor("dims")
    expect(found.dtype == torch.float32 and ranks.dtype == torch.int64, sentences.no_gradient())
    expect(found.dim() == 1 and found.shape == ranks.shape, sentences.no_gradient())
    expect(len(found) > inputs, sentences.no_parameters())
    expect((found.isfinite() & (found >= 0)).all(), sentences.no_gradient())
    expect((found[ranks > 1] > 0).all(), sentences.no_gradient())


def expect_kept(reply: Reply) -> None:
    """float64 in gives float64 out, and tensors made on the way are on the input's device."""
    output = reply.tensor("output")
    expect(
        output.dtype == torch.float64,
        sentences.dtype_of_all_lost("output", output.dtype, "float64"),
    )
    expect(reply["device"] == "meta", sentences.other_device())


def expect_count(reply: Reply, name: str, count: int, sentence: str) -> None:
    """The reply's `name` must be the whole number `count`."""
    found = reply[name]
    expect(type(found) is int and found == count, sentence)


def expect_unchanged(reply: Reply, inputs: Mapping[str, torch.Tensor]) -> None:
    """The inputs that came back must be those that were sent."""
    for name, sent in inputs.items():
        back = reply.tensor(name)
        same = back.shape == sent.shape and back.dtype == sent.dtype and torch.equal(back, sent)
        expect(same, sentences.changed_in_place(name))


def expect_varied(reply: Reply, name: str, **dims: int) -> torch.Tensor:
    """The tensor `name` in float64, not the same at all positions; dims as in expect_shape."""
    tensor = expect_floats(reply, name, **dims)
    spread = tensor.amax(dim=1) - tensor.amin(dim=1)
    expect((spread > 1e-6).any(), sentences.same_everywhere(name))
    return tensor


def expect_floats(reply: Reply, name: str, **dims: int) -> torch.Tensor:
    """The floating-point tensor `name` in float64; its sizes as in expect_shape."""
    expect_shape(reply, name, **dims)
    return reply.floats(name)


def same(a: torch.Tensor, b: torch.Tensor, atol: float = 1e-5) -> bool:
    """Whether two tensors of one shape agree; NaN agrees with nothing."""
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=atol)


def expect_dropped(found: torch.Tensor, whole: torch.Tensor, p: float) -> None:
    """`found` must be `whole` with a share of about `p` set to zero and the rest divided by 1 - p.

    No entry of `whole` may be zero.
    """
    gone = found == 0
    expect(gone.any(), wording.NOT_DROPPED)
    off = abs(float(gone.double().mean()) - p)
    expect(off < DEVIATIONS * (p * (1 - p) / gone.numel()) ** 0.5, wording.OTHER_SHARE)
    expect(same(found[~gone], whole[~gone] / (1 - p)), wording.NOT_RESCALED)
