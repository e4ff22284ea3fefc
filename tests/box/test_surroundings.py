"""What a call is to leave as it found it is looked at, and put back before the next."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch import nn

from autograder.box.inside import state
from autograder.box.inside.surroundings import Watched


class Part(nn.Module):
    """A layer whose arguments have names."""

    def forward(self, x: int, *, scale: int = 2) -> int:
        """Makes it larger."""
        return x * scale


def test_a_method_whose_calls_are_counted_looks_like_itself() -> None:
    model = nn.Sequential(Part())
    part, plain = model[0], Part()
    watched = Watched(model)
    assert inspect.signature(part.forward) == inspect.signature(plain.forward)
    assert inspect.getsource(part.forward) == inspect.getsource(plain.forward)
    assert part.forward.__self__ is part
    assert part.forward.__func__ is plain.forward.__func__
    assert (part.forward.__name__, part.forward.__doc__) == ("forward", "Makes it larger.")
    assert copy.deepcopy(model)[0].forward.__func__ is plain.forward.__func__
    assert part.forward(1, scale=3) == 3
    assert watched.changes(random=False, mode="") == {"by_forward": ["0"]}


@pytest.mark.parametrize("back", [partial(state.begin, seed=0), state.leave_missing_device])
def test_a_default_device_that_is_not_there_is_taken_back(back: Callable[[], None]) -> None:
    torch.set_default_device("cuda:99")
    try:
        back()
        assert torch.ones(1).device.type == "cpu"
    finally:
        torch.set_default_device(None)


@pytest.mark.parametrize(
    ("before", "after", "may", "told"),
    [
        (True, False, "evaluation", False),
        (True, True, "evaluation", False),
        (False, True, "evaluation", True),
        (False, False, "evaluation", False),
        (True, False, "training", True),
        (False, True, "training", False),
        (True, False, "", True),
    ],
)
def test_a_mode_that_may_be_set_is_left_or_taken_back_and_no_other(
    before: bool, after: bool, may: str, told: bool
) -> None:
    module = nn.Sequential(nn.Dropout()).train(before)
    watched = Watched(module)
    module[0].train(after)
    assert watched.changes(random=False, mode=may).get("mode", False) is told
