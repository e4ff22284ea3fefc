"""A battery of questions that are given numbers, words and switches beside their tensors."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from autograder.checking import Battery, Domain, Integers, Probe
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


def making(answers: Any, **sizes: int) -> Any:
    return answers.Pooled(**sizes)


@pytest.mark.parametrize(
    ("domain", "solution", "old", "new", "failed", "said"),
    [
        (
            SMOOTHING,
            SMOOTHED,
            "- eps * logs",
            "- 0.1 * logs",
            "sizes",
            "Where eps is not what it is in the example (N 3, C 5, eps 0.0",
        ),
        (SMOOTHING, SMOOTHED, "- eps * logs", "- 0.1 * logs", "sizes", "eps 0.0"),
        (SMOOTHING, SMOOTHED, "(1 - eps)", "(1 - min(eps, 0.1))", "sizes", "eps 0.5"),
        (SMOOTHING, SMOOTHED, ' if reduction == "mean" else losses.sum()', "", "sizes", "sum"),
        (SMOOTHING, SMOOTHED, "eps=0.1", "eps=0.2", "bare", "what is optional is left out"),
        (POOLING, POOLED, "(parts, -1)", "(3, -1)", "sizes", "parts"),
        (
            POOLING,
            POOLED,
            "= rate",
            "= 0.5",
            "sizes",
            "Where rate is not what it is in the example",
        ),
        (
            POOLING,
            POOLED,
            "bias=bias",
            "bias=True",
            "sizes",
            "Where bias is not what it is in the example",
        ),
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


@pytest.mark.parametrize(
    "takes", ["width, *, bias, rate", "width, bias, *, rate=0.5", "width, **how"]
)
def test_a_class_may_take_its_settings_by_name_alone(takes: str) -> None:
    its = POOLED.replace("width, bias, rate", takes)
    if "how" in takes:
        its = its.replace("bias=bias", 'bias=how["bias"]').replace("= rate", '= how["rate"]')
    assert Judge(POOLING, POOLED).failures(its) == {}


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
    assert (
        "Where rate is not what it is in the example"
        in judge.failures("def scaled(x, by):\n    return x / 2")["sizes"]
    )


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


def test_other_values_of_a_setting_meet_other_kinds_and_sizes_too() -> None:
    summed = {
        "in single precision": ("losses.sum()", "losses.float().sum()", "kind"),
        "on the CPU": ("losses.sum()", "losses.cpu().sum()", "kind"),
        "by a number of the example": ("losses.sum()", "3 * losses.mean()", "sizes"),
    }
    judge = Judge(SMOOTHING, SMOOTHED)
    for what, (old, new, failed) in summed.items():
        assert failed in judge.failures(SMOOTHED.replace(old, new)), what


def test_students_read_which_settings_there_are() -> None:
    check = Battery(SMOOTHING, values=1, sizes=1).checks()["check_sizes"]
    assert "and with other values of `eps` and `reduction`." in (check.__doc__ or "")


@pytest.mark.parametrize(
    ("domain", "aspects", "why"),
    [
        (SMOOTHING, {"values"}, "nothing judges other values of the `settings`"),
        (SMOOTHING, {"sizes", "modes"}, "`modes` has nothing to look at: a function has none"),
        (SMOOTHING, {"sizes", "way"}, "nothing is `forbidden` or `ready_made`"),
        (
            replace(SMOOTHING, forbidden=("cross_entropy",)),
            {"sizes"},
            "nothing judges what is `forbidden` or `ready_made`: give points to",
        ),
        (replace(SMOOTHING, optional=()), {"sizes", "bare"}, "nothing is `optional`"),
        (replace(SMOOTHING, extremes=False), {"sizes", "extremes"}, "`extremes=False`"),
    ],
)
def test_a_battery_that_judges_nothing_of_what_it_says_is_refused(
    domain: Domain, aspects: set[str], why: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        Battery(domain, **dict.fromkeys(aspects, 1.0))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"forbidden": ("sofmax",)}, "`sofmax`, and no function of torch begins so"),
        ({"forbidden": ("torch.softmax",)}, "no function of torch begins so"),
        ({"ready_made": ("Attention",)}, "`Attention`: give a word in small letters"),
        ({"ready_made": "attention"}, "`ready_made` is one string"),
        ({"optional": ("rate",)}, "`rate` is handed to the class, and so cannot be left out"),
        ({"make": Probe(making)}, "`make` is handed sizes alone"),
    ],
)
def test_what_a_domain_says_in_vain_is_refused(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        replace(POOLING, **wrong)
