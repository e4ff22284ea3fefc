"""A battery of questions that are given numbers, words and switches beside their tensors."""

from __future__ import annotations

import re
from typing import Any

import pytest

from autograder.checking import Domain, Integers, Probe
from checking.answers import Judge

SMOOTHED = """
def smoothed(logits, targets, eps=0.1, reduction="mean"):
    logs = torch.log_softmax(logits, dim=-1)
    right = logs.gather(-1, targets[:, None]).squeeze(-1)
    losses = -(1 - eps) * right - eps * logs.mean(-1)
    return losses.mean() if reduction == "mean" else losses.sum()
"""
SMOOTHING = Domain(
    answer="smoothed",
    sizes={"N": 3, "C": 5},
    inputs={"logits": "N C", "targets": Integers("N", 0, "C")},
    settings={"eps": (0.1, 0.0, 0.5), "reduction": ("mean", "sum")},
    optional=("eps", "reduction"),
    returns={"loss": ""},
)
POOLED = """
class Pooled(nn.Module):
    def __init__(self, width, bias, rate):
        super().__init__()
        self.layer = nn.Linear(width, width, bias=bias)
        self.rate = rate

    def forward(self, x, parts):
        return self.rate * self.layer(x).unflatten(-1, (parts, -1)).mean(-1)
"""
POOLING = Domain(
    answer="Pooled",
    sizes={"N": 2, "parts": 3, "piece": 4},
    derived={"width": "parts*piece"},
    arguments=("width", "bias", "rate"),
    settings={"bias": (True, False), "rate": (0.5, 2), "parts": "parts"},
    inputs={"x": "N width"},
    returns={"output": "N parts"},
)


@pytest.mark.parametrize(
    ("domain", "solution", "old", "new", "failed", "said"),
    [
        (SMOOTHING, SMOOTHED, "- eps * logs", "- 0.1 * logs", "sizes", "With value 2 of eps ("),
        (SMOOTHING, SMOOTHED, "- eps * logs", "- 0.1 * logs", "sizes", "eps 0.0"),
        (SMOOTHING, SMOOTHED, "(1 - eps)", "(1 - min(eps, 0.1))", "sizes", "With value 3 of eps"),
        (SMOOTHING, SMOOTHED, ' if reduction == "mean" else losses.sum()', "", "sizes", "sum"),
        (SMOOTHING, SMOOTHED, "eps=0.1", "eps=0.2", "bare", "what is optional is left out"),
        (POOLING, POOLED, "(parts, -1)", "(3, -1)", "sizes", "parts"),
        (POOLING, POOLED, "= rate", "= 0.5", "sizes", "With value 2 of rate"),
        (POOLING, POOLED, "bias=bias", "bias=True", "sizes", "With value 2 of bias"),
    ],
)
def test_who_looks_away_from_a_setting_is_told_so(
    domain: Domain, solution: str, old: str, new: str, failed: str, said: str
) -> None:
    assert old in solution
    found = Judge(domain, solution).failures(solution.replace(old, new))
    assert said in found[failed], found
    assert "values" not in found


def test_what_keeps_to_its_settings_is_right_in_another_style() -> None:
    judge = Judge(SMOOTHING, SMOOTHED)
    fused = """
def smoothed(logits, targets, eps=0.1, reduction="mean"):
    return F.cross_entropy(logits, targets, label_smoothing=eps, reduction=reduction)
"""
    assert judge.failures(fused) == {}
    assert "kind" in judge.failures(fused.replace("py(logits", "py(logits.float()"))


def test_a_function_of_the_author_is_handed_settings_by_their_names() -> None:
    def halved(answer: Any, x: Any, rate: float) -> Any:
        return answer(x, rate / 2)

    domain = Domain(
        answer="scaled",
        sizes={"N": 2, "d": 3},
        inputs={"x": "N d"},
        settings={"rate": (1.0, 4.0)},
        call=Probe(halved),
        returns={"y": "N d"},
    )
    judge = Judge(domain, "def scaled(x, by):\n    return x * by")
    assert "With value 2 of rate" in judge.failures("def scaled(x, by):\n    return x / 2")["sizes"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"settings": {"eps": ()}}, "the setting `eps` has no values"),
        ({"settings": {"eps": 0.1}}, "the setting `eps` has no values"),
        ({"settings": {"x": (1, 2)}}, "`x` is an input and a setting"),
        ({"settings": {"k": "K"}}, "`settings` names the size `K`, and there are N, d"),
        ({"settings": ["eps"]}, "`settings` is no dictionary"),
        ({"settings": {"k": (1, 2)}, "only": ("with value 3 of k",)}, "`only` names the case"),
    ],
)
def test_a_setting_that_stands_for_nothing_is_refused(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        Domain("double", {"N": 2, "d": 3}, {"x": "N d"}, {"y": "N d"}, **wrong)
