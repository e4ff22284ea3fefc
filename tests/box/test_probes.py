"""What a probe brings back of the student's errors."""

from __future__ import annotations

import torch

from autograder.box.probes import describe


def test_the_text_of_an_error_ends_where_torch_lists_its_own_frames() -> None:
    try:
        torch.zeros(2, 4).unflatten(-1, (2, -2))
    except RuntimeError as error:
        told, whole = describe(error)["text"], str(error)
    assert "frame #1" in whole
    assert told.splitlines()[-1] == "invalid shape dimension -2 at index 1 of shape [2, -2]"
