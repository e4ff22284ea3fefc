"""A grader is got ready whole, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from mini import mini_assignment

from autograder.course.assignments import Course
from autograder.course.limits import Limits
from autograder.course.settings import Settings
from autograder.errors import Ungraded, Unready
from autograder.grading import readiness


@pytest.mark.parametrize(
    ("raised", "told"), [(Ungraded("no"), Unready), (OSError(28, "full"), OSError)]
)
def test_whatever_stands_in_the_way_leaves_no_grader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: Exception, told: type[Exception]
) -> None:
    grader: Any = Mock()
    monkeypatch.setattr(readiness, "Grader", Mock(return_value=grader))
    monkeypatch.setattr(readiness, "guard_against_breaches", Mock())
    monkeypatch.setattr(readiness, "guard_against_drift", Mock(side_effect=raised))
    settings = Settings(Limits(), trust_notebooks=False)
    with pytest.raises(told):
        readiness.ready_grader(Course(tmp_path), mini_assignment(tmp_path), settings)
    grader.close.assert_called_once_with()
