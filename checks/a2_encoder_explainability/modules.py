"""What the checks of the modules of the model share: how they are asked in the box."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from autograder.checking import Domain, Masks, Probe

FEW = ("example", "other", "equal", "ones", "large", "huge", "evaluation")
FEWEST = ("example", "other", "large", "evaluation")
"""Cases of a deep model, which has its parts' cases beside it."""


def shown(
    subject: Any,
    x: Any,
    mask: Any,
    sequence_mask: Any,
    one_mask: Any,
    head_mask: Any,
    key_mask: Any,
) -> Any:
    """Output, attention and the gradient from one to the other; then under all kinds of masks."""
    output, attention = subject(x, return_attention=True)
    slope = torch.zeros_like(attention)
    if output.requires_grad and attention.requires_grad:
        total = (output * torch.arange(output.shape[-1]).to(output).cos()).sum()
        found = torch.autograd.grad(total, attention, retain_graph=True, allow_unused=True)[0]
        slope = slope if found is None else found
    masked = subject(x, mask, return_attention=True)
    by_sequence = subject(x, mask=sequence_mask, return_attention=True)
    broad = [subject(x, given) for given in (one_mask, head_mask, key_mask)]
    return (output, attention, slope, *masked, by_sequence[1], *broad, subject(x))


def mapped(subject: Any, x: Any) -> Any:
    """Two maps, the outputs, and the gradient from these to each map; then the maps alone."""
    maps, outputs = subject.get_attention_maps(x, return_outputs=True)
    return (*maps, outputs, *slopes(maps, outputs), *subject.get_attention_maps(x))


def masked_maps(
    subject: Any, x: Any, mask: Any, one_mask: Any, head_mask: Any, key_mask: Any
) -> Any:
    """Maps of many layers under a mask for each sequence, under one for all, and without a mask.

    Then what a call answers under all kinds of masks, and without one again.
    """
    maps, outputs = subject.get_attention_maps(x, mask, return_outputs=True)
    alone = subject.get_attention_maps(x, mask=one_mask), subject.get_attention_maps(x)
    called = [subject(x, given) for given in (mask, head_mask, key_mask)]
    called += [subject(x, mask=one_mask), subject(x)]
    return (*maps, outputs, *slopes(maps, outputs), *[one[-1] for one in alone], *called)


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
    calls = 16_384 if subject.training else 2
    outputs = subject(x.expand(calls, -1, -1)).flatten(1)
    return outputs.mean(dim=0), outputs.T @ outputs / len(outputs)


def sloped(*layers: str) -> dict[str, str]:
    """Maps, outputs and the gradients from these to those, by the names of the layers."""
    return {
        **{f"{layer} map": MAP for layer in layers},
        "outputs": "B L outputs",
        **{f"gradient of the outputs by the {layer} map": MAP for layer in layers},
    }


KINDS_OF_MASKS = {"one_mask": Masks("L L"), "head_mask": Masks("heads L L")}
KINDS_OF_MASKS["key_mask"] = Masks("B 1 1 L")
MASKS = {"mask": Masks("B 1 L L"), **KINDS_OF_MASKS}
MAP = "B heads L L"
MAPPED = {
    **sloped("first", "second"),
    "first map (without return_outputs)": MAP,
    "second map (without return_outputs)": MAP,
}
"""What `mapped` returns."""
WITHOUT_A_MASK = ("last map (without a mask again)", "answer of a call (without a mask again)")
MASKED_MAPS = {
    **sloped("first", "second", "third", "fourth", "last"),
    "last map (one mask for all)": MAP,
    WITHOUT_A_MASK[0]: MAP,
    "answer of a call": "B L outputs",
    "answer of a call (a mask for each head)": "B L outputs",
    "answer of a call (a mask of keys)": "B L outputs",
    "answer of a call (one mask for all)": "B L outputs",
    WITHOUT_A_MASK[1]: "B L outputs",
}
"""What `masked_maps` returns for five layers."""
DEEP = {"layers": 5}


UNMASKED = (
    "output",
    "attention",
    "gradient of the output by the attention",
    "output (without a mask again)",
)
"""Of what `shown` returns, what it asks for without a mask."""


def shown_returns(width: str) -> dict[str, str]:
    """What `shown` returns for an output of this width."""
    output = f"B L {width}"
    return {
        **{"output": output, "attention": MAP, "gradient of the output by the attention": MAP},
        **{"output (masked)": output, "attention (masked)": MAP},
        "attention (a mask for each sequence)": MAP,
        "output (one mask for all)": output,
        "output (a mask for each head)": output,
        "output (a mask of keys)": output,
        "output (without a mask again)": output,
    }


def with_masks(domain: Domain, width: str) -> Domain:
    """The same answer under masks and with its attention; `width` is that of its output."""
    masks = {"mask": Masks("B heads L L"), "sequence_mask": Masks("B 1 L L"), **KINDS_OF_MASKS}
    return replace(
        domain,
        part="shown",
        only=FEW,
        about="with a mask and with return_attention=True",
        inputs={**domain.inputs, **masks},
        returns=shown_returns(width),
        call=Probe(shown),
        unmasked=UNMASKED,
    )
