"""A battery of a question with an optional mask, dropout, and layers of one kind in a row."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import torch

from autograder.box.inside import examination
from autograder.checking import Domain, Masks
from checking.answers import Judge

MIXER = """
class Mixer(nn.Module):
    def __init__(self, size, depth, dropout=0.3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(size, size) for _ in range(depth))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        scores = x @ x.mT / math.sqrt(x.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None], -math.inf)
        return self.dropout(torch.softmax(scores, dim=-1)) @ x
"""
PLAIN = """
def masked(q, k, mask):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
"""
OPEN = Domain(
    answer="masked",
    sizes={"N": 2, "L_q": 3, "L_k": 5, "d": 4},
    inputs={"q": "N L_q d", "k": "N L_k d", "mask": Masks("N L_q L_k", mixed=True)},
    returns={"weights": "N L_q L_k"},
)
PAIR = """
class Pair(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.a, self.b = nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        return self.a(x) - 2 * self.b(x)
"""
DOMAIN = Domain(
    answer="Mixer",
    sizes={"B": 2, "L": 4, "size": 5, "depth": 3},
    largest={"depth": 3},
    arguments=("size", "depth"),
    inputs={"x": "B L size", "mask": Masks("B L")},
    optional=("mask",),
    dropout=True,
    returns={"output": "B L size"},
)
LAST = "return self.dropout(torch.softmax(scores, dim=-1)) @ x"
MASKED = "scores = scores.masked_fill(~mask[:, None], -math.inf)"
CALLED = "x = torch.tanh(layer(x))"


@cache
def judge() -> Judge:
    return Judge(DOMAIN, MIXER)


def changed(old: str, new: str) -> str:
    assert old in MIXER
    return MIXER.replace(old, new)


WRONG = {
    "mask ignored": (MASKED, "pass", {"values", "sizes", "extremes", "kind", "modes"}),
    "mask needed": ("if mask is not None:", "if True:", {"bare"}),
    "as deep as the example": ("for _ in range(depth)", "for _ in range(3)", {"sizes"}),
    "prefix alone": (
        MASKED,
        "ends = mask.sum(-1)[:, None, None]\n"
        "            away = torch.arange(mask.shape[1]) >= ends\n"
        "            scores = scores.masked_fill(away, -math.inf)",
        {"values", "sizes", "extremes", "kind", "modes"},
    ),
    "mask remembered": (
        "if mask is not None:",
        "self.mask = getattr(self, 'mask', None) if mask is None else mask\n"
        "        fits = self.mask is not None and self.mask.shape == x.shape[:2]\n"
        "        mask = self.mask if fits else None\n"
        "        if mask is not None:",
        {"care"},
    ),
    "clamped without a mask": (
        "if mask is not None:",
        "scores = scores if mask is not None else scores.clamp(-9, 0.5)\n"
        "        if mask is not None:",
        {"extremes"},
    ),
    "scaled in training": (LAST, f"{LAST} * (1.5 if self.training else 1)", {"modes"}),
    "cut off in training": (
        CALLED,
        "x = torch.tanh(layer(x.detach() if self.training else x))",
        {"modes"},
    ),
    "halved where no gradients are kept": (
        LAST,
        f"{LAST} * (1 if torch.is_grad_enabled() else 0.5)",
        {"care"},
    ),
    "a seed for what is dropped": (
        LAST,
        f"if self.training:\n            torch.manual_seed(0)\n        {LAST}",
        {"care"},
    ),
    "a pattern of dropout that is kept": (
        LAST,
        "if self.training:\n"
        "            if getattr(self, 'kept', scores[..., 0]).shape != scores.shape:\n"
        "                self.kept = self.dropout(torch.ones_like(scores))\n"
        "            return (torch.softmax(scores, dim=-1) * self.kept) @ x\n"
        f"        {LAST}",
        {"care"},
    ),
    "a pattern of one's own that is kept": (
        LAST,
        "if self.training:\n"
        "            if getattr(self, 'kept', scores[..., 0]).shape != scores.shape:\n"
        "                self.kept = (torch.rand_like(scores) > 0.3) / 0.7\n"
        "            return (torch.softmax(scores, dim=-1) * self.kept) @ x\n"
        f"        {LAST}",
        {"care"},
    ),
    "drawn in evaluation, and not used": (
        LAST,
        f"torch.rand(2) if not self.training else None\n        {LAST}",
        {"care"},
    ),
    "none is a mask on the CPU": (
        "if mask is not None:",
        "if mask is None:\n            mask = torch.ones(x.shape[:2]) > 0\n"
        "        if mask is not None:",
        {"kind"},
    ),
    "dropped in evaluation": (
        LAST,
        "return nn.functional.dropout(torch.softmax(scores, dim=-1), 0.3) @ x",
        {"values", "bare", "sizes", "extremes", "gradients", "kind", "care"},
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_answer_fails_where_it_is_wrong(what: str) -> None:
    old, new, aspects = WRONG[what]
    assert aspects <= set(judge().failures(changed(old, new)))


def test_the_layers_of_a_case_are_counted() -> None:
    said = judge().failures(changed("for _ in range(depth)", "for _ in range(3)"))["sizes"]
    assert "of the one layer that the question asks for" in said


def test_who_ignores_the_mask_keeps_what_is_right_without_it() -> None:
    failed = set(judge().failures(changed(MASKED, "pass")))
    assert not failed & {"bare", "care", "parts"}


RIGHT = {
    "fused": changed(
        LAST,
        "p = 0.3 if self.training else 0.0\n"
        "        seen = None if mask is None else mask[:, None, None]\n"
        "        y = x[:, None]\n"
        "        found = F.scaled_dot_product_attention(y, y, y, seen, p)\n"
        "        return found[:, 0]",
    ),
    "dropped by hand": changed(
        LAST,
        "weights = torch.softmax(scores, dim=-1)\n"
        "        if self.training:\n"
        "            weights = weights * (torch.rand_like(weights) > 0.3) / 0.7\n"
        "        return weights @ x",
    ),
    "made from last to first": changed(
        "self.layers = nn.ModuleList(nn.Linear(size, size) for _ in range(depth))",
        "self.names = [f'part {depth - n}' for n in range(depth)]\n"
        "        for name in reversed(self.names):\n"
        "            self.add_module(name, nn.Linear(size, size))",
    ).replace(
        "for layer in self.layers:\n            x = torch.tanh(layer(x))",
        "for name in self.names:\n"
        "            layer = getattr(self, name)\n"
        "            x = torch.tanh(torch.einsum('bld,ed->ble', x, layer.weight) + layer.bias)",
    ),
}


@pytest.mark.parametrize("style", RIGHT)
def test_a_right_answer_passes_however_it_is_written(style: str) -> None:
    assert judge().failures(RIGHT[style]) == {}


def test_layers_that_the_question_names_are_not_exchanged() -> None:
    solution = PAIR.replace("class Pair", "class Exchanged")
    wrong = solution.replace("self.a(x) - 2 * self.b(x)", "self.b(x) - 2 * self.a(x)")
    for named in (False, True):
        domain = Domain("Exchanged", {"N": 3, "d": 4}, {"x": "N d"}, {"y": "N d"}, ("d",))
        failed = Judge(replace(domain, named=named), solution).failures(wrong)
        assert ("values" in failed) is named


def test_a_table_that_is_asked_with_ids_on_another_device_does_not_stay_on_its_own() -> None:
    solution = """
class Marked(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.marks = nn.Embedding(9, d)

    def forward(self, x):
        return x + self.marks(torch.arange(x.shape[1], device=x.device))
"""
    domain = Domain("Marked", {"N": 2, "L": 3, "d": 4}, {"x": "N L d"}, {"y": "N L d"}, ("d",))
    judge = Judge(replace(domain, long=9), solution)
    assert judge.failures(solution) == {}
    failed = judge.failures(solution.replace(", device=x.device", ""))
    assert list(failed) == ["kind"]
    assert "On another device" in failed["kind"]


@pytest.mark.parametrize("number", ["-1e4", "-1e9"])
def test_a_number_that_stands_for_minus_infinity_is_told_where_scores_are_vast(number: str) -> None:
    finite = PLAIN.replace("-math.inf", number)
    found = Judge(OPEN, PLAIN).observed(finite)
    assert found == {"extremes": "finite_mask"}


BY_HAND = "torch.softmax(scores, -1) * (torch.rand_like(scores) > 0.3) / 0.7"
DRAWN = {
    "as dropout does": (f"return ({BY_HAND} if self.training else scores.softmax(-1)) @ x", None),
    "numbers of nowhere": ("return torch.rand_like(x) if self.training else RIGHT", "not what"),
    "zeros": ("torch.rand(1) if self.training else None; return RIGHT * (not self.training)", ""),
    "nothing to learn": (
        "torch.rand(1) if self.training else None; "
        "return RIGHT.detach() if self.training else RIGHT",
        "gradient",
    ),
    "a multiple, and one number drawn": (
        "return RIGHT * 5 + 3 + 0 * torch.rand(()) if self.training else RIGHT",
        "output",
    ),
    "a multiple, and next to no chance": (
        "return RIGHT * 1.2 + 1e-2 * torch.rand_like(x) if self.training else RIGHT",
        "not what",
    ),
    "twice the right numbers, with all the chance that there may be": (
        f"return 2 * ({BY_HAND}) @ x if self.training else RIGHT",
        "not what",
    ),
    "too few": (
        "torch.rand(1) if self.training else None; return RIGHT[: len(x) - self.training]",
        "output",
    ),
}


@pytest.mark.parametrize("how", DRAWN)
def test_who_draws_numbers_by_hand_is_judged_on_the_mean_of_many_calls(how: str) -> None:
    last, said = DRAWN[how]
    found = judge().failures(changed(LAST, last.replace("RIGHT", "(scores.softmax(-1) @ x)")))
    assert found.keys() == (set() if said is None else {"modes"})
    assert (said or "") in found.get("modes", "")


def test_who_does_not_ask_for_what_may_be_left_out_is_told_so() -> None:
    unasked = changed("if mask is not None:", "if True:")
    assert judge().observed(unasked)["bare"] == "not_asked"


def test_results_of_cases_in_which_none_are_asked_for_ungrade_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As student code would send that adds to what the box tells of it."""
    sizes = {"B": 2, "L": 4, "size": 5}
    own = {"answer": "Pair", "sizes": sizes, "arguments": ("size",), "largest": {}}
    domain = replace(DOMAIN, **own, dropout=False)
    hidden = "y if mask is None else y * mask[..., None]"
    source = PAIR.replace("x):", "x, mask=None):").replace("return", "y =")
    source = f"{source}        return {hidden}\n"
    judged, true = Judge(domain, source), examination.examine

    def forged(answers: Any, plan: str, tensors: Any) -> dict[str, Any]:
        every = {f"{case.id}/output": torch.zeros(2, 4, 5) for case in domain.cases()}
        return {**every, **true(answers, plan, tensors)}

    monkeypatch.setattr(examination, "examine", forged)
    assert "values" in judged.failures(source.replace("- 2 *", "- 3 *"))


def test_a_function_that_is_ruled_out_may_come_from_no_other_library_either() -> None:
    """SciPy's, whose caller goes on in torch, is as little of the answer's own as torch's."""
    own = "weights = torch.exp(x - x.logsumexp(-1, keepdim=True))"
    spread = f"def spread(x):\n    {own}\n    return weights"
    domain = Domain(
        answer="spread",
        sizes={"N": 2, "L": 3},
        inputs={"x": "N L"},
        returns={"weights": "N L"},
        forbidden=("softmax",),
        differentiable=False,
    )
    judge = Judge(domain, spread)
    scipys = (
        "import scipy.special as s\n    weights = torch.as_tensor(s.softmax(x.numpy(), axis=-1))"
    )
    assert "`softmax`" in judge.failures(spread.replace(own, scipys))["way"]
