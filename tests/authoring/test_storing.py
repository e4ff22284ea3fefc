"""Files of tensors stay as they are where another machine has rounded otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save

from autograder.authoring.storing import write_beyond_rounding

WAS = {"values": torch.tensor([1.0, float("nan"), 3.0]), "ids": torch.tensor([1, 2])}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "checks" / "question.safetensors"
    assert write_beyond_rounding(made, save(WAS, {"told": "this"}))
    return made


def test_rounding_is_not_written(path: Path) -> None:
    before = path.read_bytes()
    rounded = {**WAS, "values": WAS["values"] * (1 + 2e-6)}
    assert not write_beyond_rounding(path, save(rounded, {"told": "this"}))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ({**WAS, "values": WAS["values"] * 1.01}, "this"),
        ({**WAS, "values": torch.tensor([1.0, 2.0, 3.0])}, "this"),
        ({**WAS, "ids": torch.tensor([1, 3])}, "this"),
        ({**WAS, "values": WAS["values"].view(3, 1)}, "this"),
        ({**WAS, "ids": WAS["ids"].int()}, "this"),
        ({"values": WAS["values"], "names": WAS["ids"]}, "this"),
        (WAS, "that"),
    ],
)
def test_what_changed_is_written(path: Path, made: dict[str, torch.Tensor], told: str) -> None:
    data = save(made, {"told": told})
    assert write_beyond_rounding(path, data)
    assert path.read_bytes() == data
    assert load_file(path).keys() == made.keys()
