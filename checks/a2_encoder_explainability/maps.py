"""Attention maps to explain: rows of a softmax, or rows that dropout has made uneven."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from autograder.checking import numbers, probe

Maps = Mapping[str, torch.Tensor]


@probe
def explained(answers: Any, function: str, layer: int | None = None, **maps: Any) -> dict[str, Any]:
    attention_maps = [maps[name] for name in sorted(maps)]
    given = () if layer is None else (layer,)
    return {"explanation": getattr(answers, function)(attention_maps, *given), **maps}


@probe
def elsewhere(answers: Any, function: str, layer: int | None = None, **maps: Any) -> dict[str, Any]:
    attention_maps = [maps[name].to("meta") for name in sorted(maps)]
    given = () if layer is None else (layer,)
    try:  # the meta device stands in for any device that is not the CPU
        device = getattr(answers, function)(attention_maps, *given).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"device": device}


def drawn_maps(seed: int, layers: int, batch: int, heads: int, length: int) -> Maps:
    """Maps whose rows sum to 1, by name: map_0 is the first layer."""
    shape = (batch, heads, length, length)
    return {
        f"map_{layer}": torch.softmax(numbers(seed + layer, *shape, scale=2.0), dim=-1)
        for layer in range(layers)
    }


def uneven(maps: Maps) -> Maps:
    """The maps as they are after dropout: some weights are 0, the others larger."""
    return {
        name: table * (numbers(900 + place, *table.shape) > -0.5) / 0.7
        for place, (name, table) in enumerate(maps.items())
    }


def in_double(maps: Maps) -> Maps:
    return {name: table.double() for name, table in maps.items()}
