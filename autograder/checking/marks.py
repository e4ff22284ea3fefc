"""What checks are marked with: the points they are worth, and the values they are run for."""

import pytest

points = pytest.mark.points
values = pytest.mark.values
