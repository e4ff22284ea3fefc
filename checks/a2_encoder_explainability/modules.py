"""What the checks of the modules of the model share: how they are asked in the box."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from autograder.checking import Domain, Masks, Probe

FEW = ("example", "other", "equal", "ones", "large", "huge", "evaluation")


def shown(subject: Any, x: Any, mask: Any, sequence_mask: Any, one_mask: Any) -> Any:
    """Output, attention and the gradient from one to the other; then under all kinds of masks."""
    output, attention = subject(x, return_attention=True)
    slope = torch.zeros_like(attention)
    if output.requires_grad and attention.requires_grad:
        total = (output * torch.arange(output.shape[-1]).to(output).cos()).sum()
        found = torch.autograd.grad(total, attention, retain_graph=True, allow_unused=True)[0]
        slope = slope if found is None else found
    masked = subject(x, mask, return_attention=True)
    by_sequence = subject(x, mask=sequence_mask, return_attention=True)
    return (output, attention, slope, *masked, by_sequence[1], subject(x, one_mask), subject(x))


def mapped(subject: Any, x: Any) -> Any:
    """Two maps, the outputs, and the gradient from these to each map; then the maps alone."""
    maps, outputs = subject.get_attention_maps(x, return_outputs=True)
    return (*maps, outputs, *slopes(maps, outputs), *subject.get_attention_maps(x))


def masked_maps(subject: Any, x: Any, mask: Any, one_mask: Any) -> Any:
    """The same under a mask for each sequence; then under one for all, and what a call answers."""
    maps, outputs = subject.get_attention_maps(x, mask, return_outputs=True)
    alone = subject.get_attention_maps(x, mask=one_mask)
    called = subject(x, mask), subject(x, mask=one_mask)
    return (*maps, outputs, *slopes(maps, outputs), alone[-1], *called)


def slopes(maps: Any, outputs: Any) -> Any:
    """The gradient from the outputs to each map; zero where none flows."""
    found: Any = [None for _ in maps]
    if outputs.requires_grad and all(attention.requires_grad for attention in maps):
        total = (outputs * torch.arange(outputs.shape[-1]).to(outputs).cos()).sum()
        found = torch.autograd.grad(total, list(maps), retain_graph=True, allow_unused=True)
    return [torch.zeros_like(m) if f is None else f for m, f in zip(maps, found, strict=True)]


def moments(subject: Any, x: Any) -> Any:
    """Means, and means of products, over many random calls: how numbers are drawn is open."""
    torch.manual_seed(1)
    outputs = subject(x.expand(16_384, -1, -1)).flatten(1)
    return outputs.mean(dim=0), outputs.T @ outputs / len(outputs)


MASKS = {"mask": Masks("N 1 L L"), "one_mask": Masks("L L")}
MAP = "N heads L L"
SLOPED = {
    **{"first map": MAP, "second map": MAP, "outputs": "N L outputs"},
    "gradient of the outputs by the first map": MAP,
    "gradient of the outputs by the second map": MAP,
}
MAPPED = {
    **SLOPED,
    "first map (without return_outputs)": MAP,
    "second map (without return_outputs)": MAP,
}
"""What `mapped` returns."""
MASKED_MAPS = {
    **SLOPED,
    "second map (one mask for all)": MAP,
    "answer of a call": "N L outputs",
    "answer of a call (one mask for all)": "N L outputs",
}
"""What `masked_maps` returns."""


UNMASKED = (
    "output",
    "attention",
    "gradient of the output by the attention",
    "output (without a mask again)",
)
"""Of what `shown` returns, what it asks for without a mask."""


def shown_returns(width: str) -> dict[str, str]:
    """What `shown` returns for an output of this width."""
    output = f"N L {width}"
    return {
        **{"output": output, "attention": MAP, "gradient of the output by the attention": MAP},
        **{"output (masked)": output, "attention (masked)": MAP},
        "attention (a mask for each sequence)": MAP,
        "output (one mask for all)": output,
        "output (without a mask again)": output,
    }


def with_masks(domain: Domain, width: str) -> Domain:
    """The same answer under masks and with its attention; `width` is that of its output."""
    masks = {"mask": "N heads L L", "sequence_mask": "N 1 L L", "one_mask": "L L"}
    return replace(
        domain,
        part="shown",
        only=FEW,
        about="with a mask and with return_attention=True",
        inputs={**domain.inputs, **{name: Masks(shape) for name, shape in masks.items()}},
        returns=shown_returns(width),
        call=Probe(shown),
        unmasked=UNMASKED,
    )
