"""What tells a wrong answer from others: samples of its numbers, and facts, without its names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from autograder.checking.battery_replies import ERRORS
from autograder.checking.inquiry import Inquiry

COUNTED = ("altered", "by_forward", "replaced", "unhooked", "unregistered")
"""Facts that are names which the student chose."""
TELLING_NOTHING = ("places", "absent")
"""Facts that tell no mistake from another."""
NUMBERLESS = ("parts", "care", "way")
"""Aspects that look at facts alone."""


def signature(
    aspect: str, cases: Sequence[str], inquiry: Inquiry, failed: str
) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Numbers and facts of these cases; `failed`: the status of an answer that was not asked."""
    samples = {}
    if aspect not in NUMBERLESS:
        samples = {
            name: tensor
            for name, tensor in inquiry.found.items()
            if name.partition("/")[0] in cases and not {"mean", "spread"} & {*name.split("/")}
            if ("/gradient/" in name) == (aspect == "gradients")
        }
    facts: dict[str, Any] = {
        case: {
            kind: _nameless(kind, fact)
            for kind, fact in inquiry.told.get(case, {}).items()
            if kind not in TELLING_NOTHING
        }
        for case in cases
    }
    if aspect == "parts":  # told alike in whatever order the layers are made
        facts["parameters"] = sorted(inquiry.outline.values())
    elif failed:
        facts["failure"] = failed
    return samples, facts


def _nameless(kind: str, fact: Any) -> Any:
    """A fact without names that the student chose."""
    if kind in ERRORS:
        return fact["name"]
    return len(fact) if kind in COUNTED else fact
