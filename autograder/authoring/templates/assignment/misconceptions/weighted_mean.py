"""Known wrong answers to `weighted_mean`."""

from __future__ import annotations

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        "plain_mean",
        "Every vector counts alike in your mean. The scores say how much each should count.",
        {"(weights.unsqueeze(-1) * values).sum(dim=-2)": "values.mean(dim=-2)"},
    ),
    Misconception(
        "scores_as_weights",
        "You take the scores themselves for weights. Their softmax is positive, and 1 in sum.",
        {"softmax(scores)": "scores"},
    ),
    Misconception(
        "divided_once_more",
        "You divide by the number of vectors. The weights are 1 in sum already: add up.",
        {".sum(dim=-2)": ".mean(dim=-2)"},
    ),
]
