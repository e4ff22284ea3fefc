"""Attention made by hand, for the checks of the two questions that read it."""

from __future__ import annotations

import torch

from autograder.checking import numbers


def attentions(seed: int, layers: int, images: int, heads: int, patches: int) -> torch.Tensor:
    """Rows that sum to 1, of a class token and `patches`: (layers, B, heads, 1 + N, 1 + N)."""
    tokens = 1 + patches
    return torch.softmax(1.5 * numbers(seed, layers, images, heads, tokens, tokens), dim=-1)


def with_other_class_token(given: torch.Tensor, seed: int) -> torch.Tensor:
    """The same proportions among the patches; all weights from and to the class token differ."""
    changed = given.clone()
    shape = given.shape[:-1]
    share = torch.rand(shape, generator=torch.Generator().manual_seed(seed))
    patches = given[..., 1:] / given[..., 1:].sum(dim=-1, keepdim=True)
    changed[..., 0] = share
    changed[..., 1:] = (1 - share).unsqueeze(-1) * patches
    changed[..., 0, :] = torch.softmax(numbers(seed, *given.shape[:-2], shape[-1]), dim=-1)
    return changed


def with_little_for_patches(given: torch.Tensor) -> torch.Tensor:
    """The same proportions among the patches, to which little weight goes, from some hardly any."""
    changed = given.clone()
    left = torch.logspace(-1, -4, given.shape[-2]).unsqueeze(-1)
    changed[..., 1:] = left * given[..., 1:] / given[..., 1:].sum(dim=-1, keepdim=True)
    changed[..., :1] = 1 - left
    return changed
