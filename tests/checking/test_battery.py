"""A battery refuses wrong answers of every kind, and no right one however it is written."""

from __future__ import annotations

import gc
import json
import traceback
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cache, wraps
from typing import Any

import pytest
import torch
from torch import nn

from autograder.authoring.live import LiveStudent
from autograder.box.inside import examination
from autograder.box.inside.surroundings import Functions
from autograder.checking import Battery, Domain, Integers, Masks, Probe, Reply, Weights
from autograder.checking.aspects import Examination
from autograder.checking.expected import Expected, Recorder
from autograder.checking.failures import CheckFailure
from autograder.checking.kept import SPARE_BYTES, Kept
from autograder.checking.structures import Structure
from autograder.errors import UsageError
from checking.answers import Judge, battery_of, names

ATTENTION = """
def attention(q, k, v):
    scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights
"""
PROJECTION = """
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1) @ v
"""


def of_length(triangle: Any, places: Any) -> Any:
    return triangle(len(places))


def mixing(answers: Any, heads: int, output_dim: int, **sizes: int) -> Any:
    own = [nn.Tanh() for _ in range(heads)]
    return answers.Mix(own, output_dim), own


DOMAINS = {
    "attention": Domain(
        answer="attention",
        sizes={"N": 2, "L_q": 3, "L_k": 5, "d_k": 4, "d_v": 6},
        inputs={"q": "N L_q d_k", "k": "N L_k d_k", "v": "N L_k d_v"},
        returns={"output": "N L_q d_v", "weights": "N L_q L_k"},
        forbidden=("scaled_dot_product_attention",),
    ),
    "strongest": Domain(
        answer="strongest",
        sizes={"count": 3, "N": 2, "L": 4},
        inputs={"tables": Weights("count N L")},
        returns={"peak": "count N"},
        lists=("tables",),
    ),
    "three": Domain(
        answer="three",
        sizes={"N": 2, "L": 3, "d": 4},
        inputs={"q": "N L d", "k": "N L d", "v": "N L d"},
        returns={"output": "N L d"},
    ),
    "SelfAttention": Domain(
        answer="SelfAttention",
        sizes={"N": 2, "L": 3, "input_dim": 6, "key_dim": 4, "output_dim": 5},
        arguments=("input_dim", "key_dim", "output_dim"),
        attributes={"output_dim": "output_dim"},
        inputs={"x": "N L input_dim"},
        returns={"output": "N L output_dim"},
    ),
    "masked_attention": Domain(
        answer="masked_attention",
        sizes={"N": 2, "L_q": 3, "L_k": 5, "d_k": 4, "d_v": 6},
        inputs={
            **{"q": "N L_q d_k", "k": "N L_k d_k", "v": "N L_k d_v"},
            "mask": Masks("N L_q L_k"),
        },
        returns={"output": "N L_q d_v"},
    ),
    "Scaled": Domain(
        answer="Scaled",
        sizes={"N": 2, "d": 3},
        arguments=("d",),
        inputs={"x": "N d"},
        returns={"output": "N d"},
    ),
    "triangle": Domain(
        answer="triangle",
        sizes={"L": 4},
        inputs={"places": Integers("L", 0, 9)},
        returns={"mask": "L L"},
        call=Probe(of_length),
        only=("example", "ones", "long"),  # a mask of its own is on the CPU
        **{"differentiable": False, "extremes": False, "doubles": False},
    ),
    "Mix": Domain(
        answer="Mix",
        sizes={"N": 2, "L": 3, "heads": 4, "output_dim": 5},
        make=Probe(mixing),
        inputs={"x": "N L 6"},
        returns={"output": "N L output_dim"},
    ),
}
MASKED = """
def masked_attention(q, k, v, mask):
    scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(~mask, -math.inf)
    return torch.softmax(scores, dim=-1) @ v
"""
MIX = """
class Mix(nn.Module):
    def __init__(self, heads, output_dim):
        super().__init__()
        self.heads = nn.ModuleList(heads)
        self.mix = nn.Linear(len(heads), output_dim)

    def forward(self, x):
        return self.mix(torch.stack([head(x).sum(-1) for head in self.heads], dim=-1))
"""
THREE = """
def three(q, k, v):
    return torch.softmax(q @ k.mT, dim=-1) @ v
"""
STRONGEST = """
def strongest(tables):
    return torch.stack([table.amax(-1) for table in tables])
"""
SCALED = """
class Scaled(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.register_buffer("scales", torch.arange(1.0, d + 1))

    def forward(self, x):
        return x * self.scales
"""
TRIANGLE = """
def triangle(length):
    return torch.ones(length, length).tril() > 0
"""
SOLUTIONS = {
    **{"triangle": TRIANGLE, "Scaled": SCALED, "three": THREE},
    **{"attention": ATTENTION, "SelfAttention": PROJECTION, "strongest": STRONGEST},
    **{"masked_attention": MASKED, "Mix": MIX},
}


@cache
def judge(answer: str) -> Judge:
    return Judge(DOMAINS[answer], SOLUTIONS[answer])


def changed(answer: str, *changes: tuple[str, str]) -> str:
    source = SOLUTIONS[answer]
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    return source


SCORES = "scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])"
FORWARD = "q, k, v = self.query(x), self.key(x), self.value(x)"
WEIGHTS = "weights = torch.softmax(scores, dim=-1)"
LAST = "return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1) @ v"
KNOWS = """if getattr(self, "seen", None) is not x:
            self.seen, self.kept = x, v"""
KEPT = 'self.kept = getattr(self, "kept", self.query.weight.T.clone())'
LONGEST = 'self.longest = max(getattr(self, "longest", 0), x.shape[1])'
CONSTANT = (
    "super().__init__()",
    """super().__init__()
        root = torch.tensor(float(key_dim)).sqrt()
        self.root = nn.Parameter(root, requires_grad=False)""",
)
ROOT = [CONSTANT, ("math.sqrt(q.shape[-1])", "self.root")]
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


RIGHT = {
    "loops": """
def attention(q, k, v):
    rows = []
    for n in range(q.shape[0]):
        rows.append(torch.stack([torch.stack([(a * b).sum() for b in k[n]]) for a in q[n]]))
    weights = (torch.stack(rows) * q.shape[-1] ** -0.5).softmax(-1)
    return torch.einsum("nqk,nkd->nqd", weights, v), weights
""",
    "a list": ATTENTION.replace(
        "return weights @ v, weights", "return [torch.bmm(weights, v), weights]"
    ),
    "scaled queries": ATTENTION.replace(SCORES, "scores = (q / q.size(-1) ** 0.5) @ k.mT"),
    "maximum taken off": ATTENTION.replace(
        WEIGHTS,
        "e = (scores - scores.amax(-1, keepdim=True)).exp()\n"
        "    weights = e / e.sum(-1, keepdim=True)",
    ),
    "looks at numbers": ATTENTION.replace(
        WEIGHTS,
        f"assert scores.max().item() < 1e9\n    scores[scores > 1e9].tolist()\n    {WEIGHTS}",
    ),
    "other order and names": PROJECTION.replace("self.query =", "self.a =")
    .replace("self.value =", "self.query =")
    .replace("self.a = nn.Linear(input_dim, key_dim)", "self.zz = nn.Linear(input_dim, key_dim)")
    .replace(
        "self.query = nn.Linear(input_dim, output_dim)",
        "self.aa = nn.Linear(input_dim, output_dim)",
    )
    .replace("self.query(x)", "self.zz(x)")
    .replace("self.value(x)", "self.aa(x)"),
    "names exchanged": PROJECTION.replace(
        FORWARD, "q, k, v = self.key(x), self.query(x), self.value(x)"
    ),
    "one layer for all": """
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim, self.sizes = output_dim, [output_dim, key_dim, key_dim]
        self.all = nn.Linear(input_dim, 2 * key_dim + output_dim)

    def forward(self, x):
        v, k, q = self.all(x).split(self.sizes, dim=-1)
        return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1) @ v
""",
    "parameters by hand": """
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.w_q = nn.Parameter(torch.randn(input_dim, key_dim))
        self.w_k = nn.Parameter(torch.randn(input_dim, key_dim))
        self.w_v = nn.Parameter(torch.randn(input_dim, output_dim))
        self.b_q = nn.Parameter(torch.zeros(key_dim))
        self.b_k = nn.Parameter(torch.zeros(key_dim))
        self.b_v = nn.Parameter(torch.zeros(output_dim))

    def forward(self, x):
        q, k, v = x @ self.w_q + self.b_q, x @ self.w_k + self.b_k, x @ self.w_v + self.b_v
        return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1) @ v
""",
    "lazy": PROJECTION.replace("nn.Linear(input_dim, ", "nn.LazyLinear("),
    "a constant among the parameters": changed("SelfAttention", *ROOT),
}


@pytest.mark.parametrize("style", RIGHT)
def test_a_right_answer_passes_however_it_is_written(style: str) -> None:
    source = RIGHT[style]
    answer = "attention" if "def attention" in source else "SelfAttention"
    assert judge(answer).failures(source) == {}


UNREGISTERED = {
    "a list": "self.layers = [nn.Linear(input_dim, n) for n in (output_dim, key_dim, key_dim)]",
    "a dictionary of lists": (
        "self.layers = {0: [nn.Linear(input_dim, output_dim)], 1: nn.Linear(input_dim, key_dim)}\n"
        "        self.layers[2] = nn.Linear(input_dim, key_dim)"
    ),
}


@pytest.mark.parametrize("made", UNREGISTERED.values(), ids=UNREGISTERED)
def test_layers_that_pytorch_does_not_find_answer_and_learn_nothing(made: str) -> None:
    source = f"""
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        {made}

    def forward(self, x):
        v, q, k = (one[0] if isinstance(one := self.layers[n], list) else one for n in range(3))
        return torch.softmax(q(x) @ k(x).mT / math.sqrt(q(x).shape[-1]), dim=-1) @ v(x)
"""
    failures = judge("SelfAttention").failures(source)
    assert failures.keys() == {"gradients", "parts"}
    assert "PyTorch does not find what learns in `layers`" in failures["gradients"]


def test_a_tensor_that_learns_and_is_no_parameter_is_told() -> None:
    plain = "torch.randn({}, requires_grad=True)"
    source = changed(
        "SelfAttention",
        ("nn.Linear(input_dim, output_dim)", plain.format("output_dim, input_dim")),
        (
            "self.key = nn",
            f"self.bias = {plain.format('output_dim')}\n        self.key = nn",
        ),
        ("self.value(x)", "F.linear(x, self.value, self.bias)"),
    )
    failures = judge("SelfAttention").failures(source)
    assert "PyTorch does not find what learns in `bias` and `value`" in failures["gradients"]


def test_layers_that_are_registered_and_listed_too_are_as_good() -> None:
    source = changed(
        "SelfAttention", (FORWARD, f"self.all = [self.query, (self.key,)]\n        {FORWARD}")
    )
    assert judge("SelfAttention").failures(source) == {}


def test_an_error_is_told_with_the_students_line_and_the_case() -> None:
    source = changed("attention", ("    return", "    assert q.shape[0] > 1, 'batch'\n    return"))
    failures = judge("attention").failures(source)
    assert set(failures) == {"sizes"}
    assert "Your code raised AssertionError: batch" in failures["sizes"]
    assert "line 5" in failures["sizes"]
    assert "N 1" in failures["sizes"]


@pytest.mark.parametrize(
    "layer",
    [
        "        self.key = nn.Linear(input_dim, key_dim)\n",
        "        self.query = nn.Linear(input_dim, key_dim)\n",
    ],
)
def test_the_error_comes_before_the_layer_for_want_of_which_it_is_raised(layer: str) -> None:
    failures = judge("SelfAttention").failures(changed("SelfAttention", (layer, "")))
    assert {said.partition(":")[0] for said in failures.values()} == {
        "Your code raised AttributeError"
    }


def test_a_layer_of_another_size_comes_before_the_error_that_it_leads_to() -> None:
    layer = "self.query = nn.Linear(input_dim, key_dim)"
    source = changed("SelfAttention", (layer, "self.query = nn.Linear(64, key_dim)"))
    assert (
        "None of them has the shape of `query.weight`"
        in judge("SelfAttention").failures(source)["values"]
    )


def test_a_dictionary_in_the_place_of_results_is_called_one() -> None:
    returned = 'return {"output": weights @ v, "att": weights}'
    source = changed("attention", ("return weights @ v, weights", returned))
    assert judge("attention").failures(source)["values"] == (
        "Your answer returned a dictionary without an entry `weights`. Your answer should return "
        "2 results: output, weights."
    )


def test_a_call_that_no_line_of_the_student_raised_is_not_called_the_students() -> None:
    source = ATTENTION.replace("def attention(q, k, v)", "def attention(q, k)")
    said = judge("attention").failures(source)["values"]
    assert said.startswith("Calling your answer as the question says ended with TypeError")


def test_taken_hooks_are_not_called_a_forward_used_by_itself() -> None:
    cleared = f"self.query._forward_hooks.clear()\n        {FORWARD}"
    by_itself = FORWARD.replace("self.query(x)", "self.query.forward(x)")
    for line, said in ((cleared, "takes hooks away from `query`"), (by_itself, "uses the `for")):
        failures = judge("SelfAttention").failures(changed("SelfAttention", (FORWARD, line)))
        assert set(failures) == {"care"}
        assert said in failures["care"]


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        ("weights.to_sparse()", "sparse or nested torch.Tensor"),
        ("weights.to('meta')", "meta torch.Tensor"),
        ("weights.to(torch.complex128)", "torch.Tensor of torch.complex128"),
        ("torch.zeros(0, 2**41)", "torch.Tensor of shape [0, 2199023255552]"),
    ],
)
def test_a_result_that_no_reply_can_hold_is_told_by_its_kind(made: str, kind: str) -> None:
    failures = judge("attention").failures(changed("attention", ("v, weights", f"v, {made}")))
    assert failures["values"] == f"`weights` is of type {kind}; expected a torch.Tensor."


def test_what_is_right_for_zeros_alone_has_no_right_gradients() -> None:
    source = changed("attention", (SCORES, "scores = 0 * (q @ k.mT)"))
    assert {"values", "gradients"} <= set(judge("attention").failures(source))


@pytest.mark.parametrize("key_dim", ["key_dim", "64"])
def test_what_was_asked_is_forgotten_with_the_one_who_was_asked(key_dim: str) -> None:
    checks, recorder = battery_of(DOMAINS["SelfAttention"]).checks(), Recorder({})

    def ask(source: str, expected: Expected) -> None:
        student = LiveStudent(names(source))
        for check in checks.values():
            with suppress(CheckFailure):
                check(student, expected)

    ask(PROJECTION, recorder)
    expected, layer = Expected(recorder.tensors), "self.query = nn.Linear(input_dim, {})"
    answer = PROJECTION.replace(layer.format("key_dim"), layer.format(key_dim))

    def alive() -> int:
        gc.collect()
        return sum(type(one) is Examination for one in gc.get_objects())

    before = alive()
    ask(answer, expected)
    assert alive() <= before


def test_of_a_reply_only_what_was_asked_for_is_kept() -> None:
    domain, size = DOMAINS["attention"], 1 << 20
    (case, *_) = domain.cases()
    sent = {
        "example/output": torch.zeros(2, 3, 6),
        "example/weights": torch.ones(size),
        "example/gradient/q": torch.ones(size),
        "example/junk": torch.zeros(1),
        "other/output": torch.zeros(1),
    }
    found = Kept(domain).of(Reply.of(sent), case, Structure({}, [case]))
    assert set(found) == {"example/output", "example/weights", "example/gradient/q"}
    assert [one.shape for one in found.values()] == [sent[name].shape for name in found]
    assert sum(one.untyped_storage().nbytes() for one in found.values()) < SPARE_BYTES


def test_beside_a_result_that_is_far_too_large_the_others_keep_their_numbers() -> None:
    (case, *_) = DOMAINS["attention"].cases()
    sent = {"example/output": torch.ones(1 << 20), "example/weights": torch.randn(2, 3, 5)}
    found = Kept(DOMAINS["attention"]).of(Reply.of(sent), case, Structure({}, [case]))
    assert not found["example/output"].any()
    assert torch.equal(found["example/weights"], sent["example/weights"])


def test_what_torch_wraps_by_itself_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it does with `manual_seed` when the first optimizer of a process steps."""
    watched = Functions({})
    monkeypatch.setattr(torch, "relu", wraps(torch.relu)(lambda *given: None))
    assert watched.replaced() == []
    monkeypatch.setattr(torch, "relu", torch.tanh)
    assert watched.replaced() == ["torch.relu"]


def test_a_missing_name_is_told() -> None:
    assert judge("attention").failures("attend = 1")["values"] == (
        "`attention` is not defined: keep the name that the question gives."
    )


def test_a_gradient_that_the_solution_does_not_have_ungrades_nothing() -> None:
    cut = Judge(DOMAINS["attention"], changed("attention", ("k.transpose", "k.detach().transpose")))
    assert cut.failures(ATTENTION) == {}


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


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        ({}, "Evaluation mode gives the same as training mode"),
        ({"dropout": True}, "But for dropout, training mode gives the same"),
        ({"random": True}, "Evaluation mode gives the right values, which may be others"),
    ],
)
def test_what_is_said_of_modes_fits_the_chance_that_there_is(
    chance: dict[str, Any], said: str
) -> None:
    check = Battery(replace(DOMAINS["SelfAttention"], **chance), modes=1).checks()["check_modes"]
    assert (check.__doc__ or "").startswith(said)


@pytest.mark.parametrize(
    ("second", "constant"), [("torch.tensor(4)", True), ("torch.tensor(len(x))", False)]
)
def test_constants_of_several_results_are_no_values(second: str, constant: bool) -> None:
    domain = Domain(
        answer="pair",
        sizes={"N": 3},
        inputs={"x": "N"},
        returns={"any": "", "count": ""},
        differentiable=False,
        doubles=False,
        plain=True,
    )
    check = Battery(domain, everywhere=1).checks()["check_everywhere"]
    student = LiveStudent(names(f"def pair(x):\n    return torch.tensor(True), {second}"))
    told = pytest.raises(UsageError, match="is one number in all cases")
    with told if constant else nullcontext():
        check(student, Recorder({}))


def test_a_part_of_a_battery_has_names_and_expected_tensors_of_its_own() -> None:
    domain = replace(DOMAINS["attention"], part="masked", about="with a mask")
    part = Battery(domain, values=1)
    (name,) = part.checks()
    assert name == "check_masked_values"
    assert (part.checks()[name].__doc__ or "").startswith("With a mask: `attention` gives")
    recorder = Recorder({})
    part.checks()[name](LiveStudent(names(ATTENTION)), recorder)
    assert all(key.startswith("masked:") for key in recorder.tensors)


def test_asking_costs_no_look_at_the_call_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[None] = []  # as `torch.manual_seed` does for each device that is not there
    monkeypatch.setattr(traceback, "format_stack", lambda: looked.append(None) or [])
    assert judge("SelfAttention").failures(PROJECTION) == {}
    assert looked == []


def test_a_fact_that_says_numbers_are_random_is_not_believed_where_none_may_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As student code would that changes what the box tells of it."""
    judged = judge("attention")
    true = examination.examine

    def forged(*asked: Any) -> dict[str, Any]:
        reply = true(*asked)
        told = {case: {**facts, "drops_by_hand": True} for case, facts in parsed(reply).items()}
        return {**reply, "told": json.dumps(told)}

    def parsed(reply: dict[str, Any]) -> dict[str, dict[str, Any]]:
        return json.loads(reply["told"])

    monkeypatch.setattr(examination, "examine", forged)
    only_there = changed("attention", ("return weights @ v, weights", "return RETURNED"))
    right_there = "(weights @ v if q.shape == (2, 3, 4) else 0 * (weights @ v)), weights"
    found = judged.failures(only_there.replace("RETURNED", right_there))
    assert "sizes" in found


def test_a_fact_of_the_recording_is_not_believed_later(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = judge("attention")
    true = examination.examine

    def forged(*asked: Any) -> dict[str, Any]:
        reply = true(*asked)
        told = json.loads(reply["told"])
        told = {case: {**facts, "slopes": ["what I like"]} for case, facts in told.items()}
        return {**reply, "told": json.dumps(told)}

    monkeypatch.setattr(examination, "examine", forged)
    assert judged.failures(SOLUTIONS["attention"]) == {}


GAIN = """
class Norm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gain = nn.Parameter(GAINS)

    def forward(self, x):
        return self.gain * x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt()
"""


def test_gains_that_begin_at_one_are_no_sign_of_a_seed() -> None:
    domain = Domain("Norm", {"N": 2, "L": 3, "d": 5}, {"x": "N L d"}, {"y": "N L d"}, ("d",))
    judged = Judge(domain, GAIN.replace("GAINS", "torch.ones(d)"))
    assert "care" not in judged.failures(GAIN.replace("GAINS", "torch.ones(1, d)"))
    biased = GAIN.replace(
        "self.gain = nn.Parameter(GAINS)",
        "self.gain = nn.Parameter(torch.ones(d)); self.bias = nn.Parameter(torch.zeros(d))",
    ).replace("self.gain * x", "self.bias + self.gain * x")
    assert set(judged.observed(biased).values()) <= {"more_layers", ""}


def test_an_answer_need_not_use_what_no_gradient_flows_to() -> None:
    domain = Domain("last", {"L": 3, "d": 4}, {"q": "d", "k": "L d"}, {"weights": "L"})
    solution = "def last(q, k):\n    return torch.softmax(k @ q, dim=-1)"
    single = f"{solution} if len(k) > 1 else k.new_ones(1) + 0 * k.sum()"
    assert Judge(domain, solution).failures(single) == {}
    cut = solution.replace("@ q,", "@ q.detach(),")
    assert set(Judge(domain, solution).failures(cut)) == {"gradients"}
