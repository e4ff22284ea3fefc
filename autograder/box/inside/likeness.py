"""What an examination looks at in results and parameters: whether they are alike, or one."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.box.tensors import odd_kind


def matrices(subject: Any) -> list[torch.Tensor]:
    """The parameters of a module that are no vectors; of a function none."""
    parameters = subject.parameters() if isinstance(subject, nn.Module) else ()
    return [parameter.detach() for parameter in parameters if parameter.dim() > 1]


def share_memory(one: Any, other: Any) -> bool:
    """Whether two results are, or are parts of, one tensor."""
    tensors = [part for part in (one, other) if isinstance(part, torch.Tensor)]
    if len(tensors) < 2 or any(map(odd_kind, tensors)):
        return False
    places = [tensor.untyped_storage().data_ptr() for tensor in tensors]
    return places[0] == places[1] != 0


def copy(part: Any) -> Any:
    return part.clone() if isinstance(part, torch.Tensor) else part


def other(tensor: torch.Tensor) -> torch.Tensor:
    """As legal as `tensor`: smaller numbers, or the same whole ones for other sequences."""
    if tensor.is_floating_point() or tensor.dim() == 0:
        return tensor / 2 if tensor.is_floating_point() else tensor
    return tensor.flip(0)


def fits(part: Any, direction: torch.Tensor) -> bool:
    return isinstance(part, torch.Tensor) and part.shape == direction.shape and part.requires_grad


def near(one: Any, other: Any, *, atol: float = 1e-6) -> bool:
    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        return type(one) is type(other)
    if one.shape != other.shape or odd_kind(one) or odd_kind(other):
        return one.shape == other.shape and odd_kind(one) == odd_kind(other)
    a, b = one.double(), other.double()
    alike = (a == b) | ((a - b).abs() <= atol + 1e-4 * b.abs()) | ((a != a) & (b != b))
    return bool(alike.all())
