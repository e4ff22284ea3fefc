"""Where a tensor is wrong is drawn, and said in words."""

from __future__ import annotations

import re

import pytest

from autograder.pages.feedback.pictures import drawing, where_wrong
from autograder.results.model import ErrorMap


@pytest.mark.parametrize(
    ("shape", "levels", "words"),
    [
        ([2, 2], [[1, 2], [3, 4]], "wrong everywhere"),
        ([3, 3], [[0, 1, 1], [0, 0, 1], [0, 0, 0]], "wrong above the diagonal only"),
        ([2, 2, 2], [[0, 0], [1, 0], [0, 0], [1, 0]], "wrong below the diagonal only"),
        ([2, 4], [[0, 0, 0, 1], [0, 0, 2, 1]], "wrong in the last columns only"),
        ([2, 4], [[0, 0, 0, 0], [1, 0, 2, 1]], "wrong in the last rows only"),
        ([4], [[0, 1, 0, 1]], "wrong in the odd (counted from 0) columns only"),
        ([64], [[0, 1, 0, 1]], "wrong in 2 of the 4 fields of the picture"),
        ([], [[4]], "wrong everywhere"),
    ],
)
def test_where_a_tensor_is_wrong_is_said_in_words(
    shape: list[int], levels: list[list[int]], words: str
) -> None:
    assert where_wrong(ErrorMap("x", shape, levels)) == words


def test_the_matrices_of_a_batch_are_drawn_apart() -> None:
    drawn = drawing(ErrorMap("x", [2, 2, 2], [[0, 4]] * 4))
    assert [path.count("M") for path in drawn.paths] == [4, 0, 0, 0, 4]
    assert [re.findall(r"M1 (\S+?)h", drawn.paths[4])] == [["0", "1", "2.5", "3.5"]]
    assert drawn.height == pytest.approx(4.4)
