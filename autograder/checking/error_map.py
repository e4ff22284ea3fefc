"""A small picture of where a tensor is wrong, drawn without its values."""

from __future__ import annotations

import torch
from torch.nn.functional import adaptive_max_pool2d

from autograder.results.model import ErrorMap

ROWS, COLUMNS = 16, 32
LEVELS = 4


def error_map(
    name: str, found: torch.Tensor, wanted: torch.Tensor, wrong: torch.Tensor
) -> ErrorMap:
    """Where `found` differs from `wanted`, both of one shape; `wrong` is true at each error."""
    error = (found.double() - wanted.double()).abs().nan_to_num(torch.inf, torch.inf)
    finite = error[wrong & error.isfinite()]
    largest = finite.max() if finite.numel() else torch.tensor(1.0)
    level = (LEVELS * error / largest).clamp(1, LEVELS).ceil() * wrong
    return ErrorMap(name, list(found.shape), _small(_table(level)).int().tolist())


def _table(tensor: torch.Tensor) -> torch.Tensor:
    """The last dimension across, all others down; a vector becomes one row."""
    return tensor.reshape(-1, tensor.shape[-1] if tensor.dim() else 1)


def _small(table: torch.Tensor) -> torch.Tensor:
    rows, columns = min(ROWS, table.shape[0]), min(COLUMNS, table.shape[1])
    return adaptive_max_pool2d(table[None], (rows, columns))[0]
