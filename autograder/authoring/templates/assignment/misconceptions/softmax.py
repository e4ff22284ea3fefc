"""Known wrong answers to `softmax`."""

from __future__ import annotations

from autograder.checking import Misconception

SUM = "powers.sum(dim=-1, keepdim=True)"

MISCONCEPTIONS = [
    Misconception(
        "not_divided",
        "Your weights are powers of e: positive, but not yet 1 in sum. Divide each row by its sum.",
        {f"powers / {SUM}": "powers"},
    ),
    Misconception(
        "one_sum_for_all_rows",
        "You divide by the sum of all numbers. Each row has a sum of its own.",
        {SUM: "powers.sum()"},
    ),
    Misconception(
        "sum_over_the_first_axis",
        "You sum over the first axis, down the columns. The weights of a row should be 1 in sum.",
        {SUM: "powers.sum(dim=0, keepdim=True)"},
    ),
    Misconception(
        "overflows",
        "The power of a large score does not fit into a float and becomes infinite. Subtract the "
        "largest score of each row first: that changes no weight.",
        {"torch.exp(scores - largest)": "torch.exp(scores)"},
    ),
]
