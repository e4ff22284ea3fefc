"""A battery refuses wrong answers of every kind, each where it is wrong."""

from __future__ import annotations

import pytest

from autograder.authoring.live import LiveStudent
from autograder.checking import Battery
from autograder.checking.expected import Expected, Recorder
from autograder.checking.failures import CheckFailure
from checking.answers import names
from checking.questions import (
    DOMAINS,
    FORWARD,
    LAST,
    PROJECTION,
    ROOT,
    SCORES,
    WEIGHTS,
    changed,
    judge,
)

KNOWS = """if getattr(self, "seen", None) is not x:
            self.seen, self.kept = x, v"""
KEPT = 'self.kept = getattr(self, "kept", self.query.weight.T.clone())'
LONGEST = 'self.longest = max(getattr(self, "longest", 0), x.shape[1])'
IN_HALF = "if x.dtype == torch.bfloat16:"
WRONG = {
    "clamped": (
        "attention",
        {"extremes"},
        [(WEIGHTS, f"scores = scores.clamp(-9, 9)\n    {WEIGHTS}")],
    ),
    "zero scores hidden": (
        "attention",
        {"extremes"},
        [(WEIGHTS, f"scores = scores.masked_fill(scores == 0, -1e9)\n    {WEIGHTS}")],
    ),
    "no maximum": (
        "attention",
        {"extremes"},
        [(WEIGHTS, "e = scores.exp()\n    weights = e / e.sum(-1, keepdim=True)")],
    ),
    "causal where square": (
        "attention",
        {"sizes"},
        [
            (
                WEIGHTS,
                "if scores.shape[1] == scores.shape[2] > 1:\n"
                "        scores = scores + torch.full_like(scores, -1e9).triu(1)\n"
                f"    {WEIGHTS}",
            )
        ],
    ),
    "sixteen keys": (
        "attention",
        {"sizes"},
        [(WEIGHTS, f"k, v, scores = k[:, :16], v[:, :16], scores[..., :16]\n    {WEIGHTS}")],
    ),
    "squeezed": (
        "attention",
        {"sizes"},
        [("return weights @ v,", "return (weights @ v).squeeze(),")],
    ),
    "size of the example": ("attention", {"sizes"}, [("math.sqrt(q.shape[-1])", "2.0")]),
    "keys cut off": ("attention", {"gradients"}, [("k.transpose", "k.detach().transpose")]),
    "in place": (
        "attention",
        {"care"},
        [(SCORES, f"q /= 1.0 + 1e-3\n    q *= 1.001\n    {SCORES}")],
    ),
    "fused": (
        "attention",
        {"way"},
        [("return weights @ v,", "return F.scaled_dot_product_attention(q, k, v),")],
    ),
    "float32 kept": (
        "attention",
        {"kind"},
        [("return weights @ v,", "return (weights @ v).float(),")],
    ),
    "half precision lost": (
        "SelfAttention",
        {"kind"},
        [(LAST, LAST + ".to(torch.promote_types(x.dtype, torch.float32))")],
    ),
    "another shape in half precision": (
        "SelfAttention",
        {"kind"},
        [(LAST, f"{IN_HALF}\n            return x\n        {LAST}")],
    ),
    "whole numbers in half precision": (
        "SelfAttention",
        {"kind"},
        [(LAST, f"{IN_HALF}\n            return v.int()\n        {LAST}")],
    ),
    "other numbers in half precision": (
        "SelfAttention",
        {"kind"},
        [(LAST, f"{IN_HALF}\n            return -v\n        {LAST}")],
    ),
    "large numbers cut off": (
        "SelfAttention",
        {"extremes"},
        [(FORWARD, f"x = x.clamp(-300, 300)\n        {FORWARD}")],
    ),
    "another function replaced": (
        "attention",
        {"care"},
        [
            ("def", "def scaled(scores):\n    return scores / 2\n\n\ndef"),
            ("    return weights", "    global scaled\n    scaled = math.sqrt\n    return weights"),
        ],
    ),
    "a function of torch replaced": (
        "attention",
        {"care"},
        [
            (
                "    return",
                "    plain = F.relu6\n    F.relu6 = lambda *given: plain(*given)\n    return",
            )
        ],
    ),
    "gradients switched on": (
        "attention",
        {"care"},
        [("    return", "    torch.set_grad_enabled(True)\n    return")],
    ),
    "values of queries where these are keys": (
        "three",
        {"sizes"},
        [("return", "v = q if q is k else v\n    return")],
    ),
    "on the CPU": (
        "attention",
        {"kind"},
        [(WEIGHTS, f"scores = scores + torch.zeros(scores.shape)\n    {WEIGHTS}")],
    ),
    "gradients switched off": (
        "attention",
        {"care", "gradients"},
        [("    return", "    torch.set_grad_enabled(False)\n    return")],
    ),
    "remembers": (
        "SelfAttention",
        {"care", "gradients"},
        [(LAST, f"v = self.first = getattr(self, 'first', v)[: len(x)]\n        {LAST}")],
    ),
    "knows a tensor again": (
        "SelfAttention",
        {"care"},
        [(LAST, f"{KNOWS}\n        v = self.kept\n        {LAST}")],
    ),
    "weights kept": (
        "SelfAttention",
        {"care"},
        [(LAST, f"{KEPT}\n        q = x @ self.kept + self.query.bias\n        {LAST}")],
    ),
    "spoilt by longer sequences": (
        "SelfAttention",
        {"care"},
        [(LAST, f"{LONGEST}\n        v = v * (x.shape[1] / self.longest)\n        {LAST}")],
    ),
    "a result kept": (
        "triangle",
        {"care"},
        [("def", "import functools\n\n\n@functools.cache\ndef")],
    ),
    "chance for nothing": (
        "triangle",
        {"care"},
        [("torch.ones(length, length)", "(torch.rand(length, length) + 1)")],
    ),
    "causal where queries are keys": (
        "attention",
        {"sizes"},
        [
            (
                WEIGHTS,
                f"if q is k:\n        scores = scores + torch.full_like(scores, -1e9).triu(1)\n"
                f"    {WEIGHTS}",
            )
        ],
    ),
    "list emptied": (
        "strongest",
        {"care"},
        [("for table in tables", "for table in [tables.pop(0) for _ in range(len(tables))]")],
    ),
    "part of a list changed": (
        "strongest",
        {"care", "gradients"},
        [("table.amax(-1)", "table.mul_(1.5).div_(1.5).amax(-1)")],
    ),
    "input cut off": ("SelfAttention", {"gradients"}, [("self.key(x)", "self.key(x.detach())")]),
    "only while training": (
        "SelfAttention",
        {"modes"},
        [("math.sqrt(q.shape[-1])", "(math.sqrt(q.shape[-1]) if self.training else 1.0)")],
    ),
    "residual where it fits": (
        "SelfAttention",
        {"sizes"},
        [
            (
                LAST,
                LAST.replace("return ", "out = ")
                + "\n        return out + x if out.shape == x.shape else out",
            )
        ],
    ),
    "input marked": (
        "attention",
        {"care"},
        [("return weights @ v,", "q.requires_grad_()\n    return weights @ v,")],
    ),
    "parameters frozen": (
        "SelfAttention",
        {"care", "gradients"},
        [(FORWARD, f"self.query.requires_grad_(False)\n        {FORWARD}")],
    ),
    "mode changed": ("SelfAttention", {"care"}, [(FORWARD, f"self.eval()\n        {FORWARD}")]),
    "a buffer kept of the latest call": (
        "SelfAttention",
        {"care"},
        [(FORWARD, f"self.register_buffer('latest', x.detach().clone())\n        {FORWARD}")],
    ),
    "no bias": (
        "SelfAttention",
        {"parts"},
        [("nn.Linear(input_dim, output_dim)", "nn.Linear(input_dim, output_dim, bias=False)")],
    ),
    "always the same weights": (
        "SelfAttention",
        {"care"},
        [("super().__init__()", "super().__init__()\n        torch.manual_seed(0)")],
    ),
    "a seed for modules without weights": (
        "Scaled",
        {"care"},
        [("super().__init__()", "super().__init__()\n        torch.manual_seed(0)")],
    ),
    "a buffer that learns": (
        "Scaled",
        {"gradients", "parts"},
        [("torch.arange(1.0, d + 1)", "torch.arange(1.0, d + 1).requires_grad_()")],
    ),
    "no gradient in evaluation": (
        "SelfAttention",
        {"modes"},
        [("return torch", "with torch.set_grad_enabled(self.training):\n            return torch")],
    ),
    "gradients cleared": (
        "SelfAttention",
        {"care"},
        [(FORWARD, f"self.zero_grad()\n        {FORWARD}")],
    ),
    "finite mask": ("masked_attention", {"extremes"}, [("-math.inf", "-1e9")]),
    "modules put into another mode": (
        "Mix",
        {"care"},
        [("nn.ModuleList(heads)", "nn.ModuleList(heads).eval()")],
    ),
    "one seed for modules that the battery makes": (
        "Mix",
        {"care"},
        [("super().__init__()", "super().__init__()\n        torch.manual_seed(0)")],
    ),
    "root trained": (
        "SelfAttention",
        {"gradients", "parts"},
        [*ROOT, ("root, requires_grad=False", "root")],
    ),
    "constant layer": (
        "SelfAttention",
        {"gradients"},
        [
            (
                "self.value = nn.Linear(input_dim, output_dim)",
                "self.value = nn.Linear(input_dim, output_dim).requires_grad_(False)",
            )
        ],
    ),
    "size not kept": ("SelfAttention", {"parts"}, [("= output_dim\n", "= key_dim\n")]),
    "plain list": (
        "SelfAttention",
        {"gradients", "parts"},
        [
            (
                "self.value = nn.Linear(input_dim, output_dim)",
                "self.rest = [nn.Linear(input_dim, output_dim)]",
            ),
            ("self.value(x)", "self.rest[0](x)"),
        ],
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_answer_fails_where_it_is_wrong(kind: str) -> None:
    answer, aspects, changes = WRONG[kind]
    assert set(judge(answer).failures(changed(answer, *changes))) == aspects


def test_what_is_right_for_zeros_alone_has_no_right_gradients() -> None:
    source = changed("attention", (SCORES, "scores = 0 * (q @ k.mT)"))
    assert {"values", "gradients"} <= set(judge("attention").failures(source))


def test_where_one_check_looks_at_all_cases_gradients_in_evaluation_are_among_them() -> None:
    checks = Battery(DOMAINS["SelfAttention"], everywhere=1, gradients=1).checks()
    recorder = Recorder({})
    for check in checks.values():
        check(LiveStudent(names(PROJECTION)), recorder)
    expected = Expected(recorder.tensors)
    _, aspects, changes = WRONG["no gradient in evaluation"]
    assert aspects == {"modes"}
    student = LiveStudent(names(changed("SelfAttention", *changes)))
    checks["check_gradients"](student, expected)
    with pytest.raises(CheckFailure, match=r"^In evaluation mode .*gradient") as caught:
        checks["check_everywhere"](student, expected)
    assert caught.value.observed == "cut_gradient"
