"""Which tensors, right in part, show that a question's values were answered."""

from __future__ import annotations

import pytest
import torch

from autograder.checking.comparing import Compared
from autograder.grading.evidence import shows_values
from autograder.grading.findings import Findings
from autograder.results.model import CheckResult

SIZES = (4, 6)
GIVEN = torch.randn(SIZES, generator=torch.Generator().manual_seed(1))
ROW = torch.linspace(1, 2, SIZES[1]).expand(SIZES) * torch.tensor([[1.0], [1.1], [1.2], [1.3]])
HALF = torch.arange(SIZES[1]).expand(SIZES) % 2 == 0


def shown(wanted: torch.Tensor) -> bool:
    """Beside a gradient that is handed on, and so was sent."""
    checks = [CheckResult("gradient", "", 1, True), CheckResult("values", "", 1, False)]
    compared = {"gradient": [Compared(GIVEN)], "values": [Compared(wanted, HALF)]}
    return shows_values(Findings(checks, set(), compared), [GIVEN])


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_numbers_that_differ_show_values_however_small_they_are(scale: float) -> None:
    assert shown(scale * ROW)


def test_one_large_number_among_them_hides_no_others() -> None:
    assert shown(torch.cat([torch.full((4, 1), 1e5), ROW[:, 1:]], dim=1))


@pytest.mark.parametrize("added", [0.0, 1.0])
def test_a_constant_shows_none_also_on_top_of_what_was_given(added: float) -> None:
    assert not shown(GIVEN + added)
    assert not shown(torch.full(SIZES, 0.5 + added))


@pytest.mark.parametrize("of", [torch.inf, -torch.inf, torch.nan])
def test_what_is_no_number_shows_none(of: float) -> None:
    assert not shown(torch.full(SIZES, of))
    assert shown(torch.cat([torch.full((4, 1), of), ROW[:, 1:]], dim=1))
