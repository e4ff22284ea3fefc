"""What a battery sees to be wrong is named, whatever makes it so."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from autograder.checking import Battery, Domain, Tokens
from autograder.checking.cases import Case
from autograder.checking.coincidences import large_in_common, size_in_common
from autograder.checking.faults import PLAIN_CASES
from autograder.checking.kinds import CLAUSES, OBSERVED
from autograder.results import battery_sentences
from checking.answers import Judge
from checking.questions import DOMAINS, FORWARD, LAST, MASKED, SCORES, SOLUTIONS, changed, judge

KEY = "self.key = nn.Linear(input_dim, key_dim)"
VALUE = "nn.Linear(input_dim, output_dim)"
LIBRARY = (
    "from transformers.models.bert.modeling_bert import eager_attention_forward as attend\n"
    "    found, weights = attend(nn.Identity(), q[:, None], k[:, None], v[:, None], None)\n"
    "    return found[:, :, 0], weights[:, 0]"
)
DROPPED = f"return nn.functional.dropout({LAST.removeprefix('return ')}, 0.5, self.training)"
OPERATOR = "torch.ops.aten.scaled_dot_product_attention"
SEEN = {
    "in place": ("attention", "care", "changed", [(SCORES, f"{SCORES}; q.mul_(2)")]),
    "a residual in place": (
        "attention",
        "gradients",
        "changed",
        [(SCORES, f"{SCORES}; k *= 2; scores = scores + (q @ k.transpose(1, 2)) * 0")],
    ),
    "the dtype lost": (
        "attention",
        "kind",
        "other_kind",
        [("@ v, weights", "@ v, weights.float()")],
    ),
    "raised for the dtype": ("attention", "kind", "other_kind", [("@ v,", "@ v.float(),")]),
    "printed and not returned": (
        "SelfAttention",
        "values",
        "returned_nothing",
        [(LAST, f"print({LAST.removeprefix('return ')})")],
    ),
    "a list of tensors": (
        "SelfAttention",
        "values",
        "no_tensor",
        [(LAST, f"return list({LAST.removeprefix('return ')})")],
    ),
    "raised for a size": (
        "attention",
        "sizes",
        "fixed_size",
        [(SCORES, f"{SCORES}; scores = scores.view(2, *scores.shape[1:])")],
    ),
    "wrong for long ones": (
        "attention",
        "sizes",
        "long_alone",
        [(SCORES, f"{SCORES}; scores = scores[..., :100].repeat(1, 1, 9)[..., : k.shape[1]]")],
    ),
    "wrong for one": (
        "attention",
        "sizes",
        "small_alone",
        [(SCORES, f"{SCORES}; v = v if len(v) > 1 else v.flip(1)")],
    ),
    "raised for one": (
        "attention",
        "sizes",
        "small_alone",
        [(SCORES, f"{SCORES}; assert len(v) > 1")],
    ),
    "dropout that nobody asked for": (
        "SelfAttention",
        "values",
        "drew",
        [(LAST, DROPPED)],
    ),
    "its gradients": (
        "SelfAttention",
        "gradients",
        "drew",
        [(LAST, DROPPED)],
    ),
    "told apart by sizes": (
        "attention",
        "sizes",
        "alike_alone",
        [(SCORES, f"{SCORES}; v = v.flip(1) if v.shape == k.shape else v")],
    ),
    "nothing where sizes agree": (
        "attention",
        "sizes",
        "alike_alone",
        [("@ v, weights", "@ v, None if v.shape == k.shape else weights")],
    ),
    "told apart by what is one tensor": (
        "attention",
        "sizes",
        "alike_alone",
        [(SCORES, f"{SCORES}; v = v.flip(1) if v is k else v")],
    ),
    "told apart by sizes, a layer less": (
        "SelfAttention",
        "sizes",
        "alike_alone",
        [(KEY, f"{KEY} if key_dim != output_dim else nn.Identity()")],
    ),
    "rows of zeros are no keys": (
        "attention",
        "extremes",
        "zeros_alone",
        [(SCORES, f"{SCORES}; scores = scores - 1e9 * (k == 0).all(-1)[:, None]")],
    ),
    "wrong in one mode": (
        "SelfAttention",
        "modes",
        "mode_alone",
        [("self.query(x)", "self.query(x if self.training else x + 1)")],
    ),
    "a gradient in one mode": (
        "SelfAttention",
        "modes",
        "mode_alone",
        [("self.query(x)", "self.query(x if self.training else 2 * x - x.detach())")],
    ),
    "raised in one mode": (
        "SelfAttention",
        "modes",
        "mode_alone",
        [(FORWARD, f"assert self.training; {FORWARD}")],
    ),
    "read as it lies in memory": (
        "attention",
        "kind",
        "strided_alone",
        [(SCORES, f"v = v.as_strided(v.shape, v.contiguous().stride()); {SCORES}")],
    ),
    "another device": (
        "attention",
        "kind",
        "other_device",
        [("weights @ v,", "weights @ v + torch.zeros(v.shape[-1]),")],
    ),
    "cut off in part": (
        "attention",
        "gradients",
        "part_of_the_gradient",
        [("@ v, weights", "@ v, (weights + weights.detach()) / 2")],
    ),
    "cut off": ("attention", "gradients", "cut_gradient", [("q @ k", "q.detach() @ k")]),
    "squeezed": ("attention", "sizes", "squeezed", [("@ v, weights", "@ v, weights.squeeze()")]),
    "one axis": ("attention", "sizes", "squeezed", [("@ v, weights", "@ v, weights.squeeze(1)")]),
    "axes exchanged": (
        "attention",
        "values",
        "axes_exchanged",
        [("@ v, weights", "@ v, weights.mT")],
    ),
    "not finite": (
        "attention",
        "extremes",
        "not_finite",
        [("weights @ v", "weights @ v / v.std()")],
    ),
    "one result of two": (
        "attention",
        "values",
        "other_results",
        [("return weights @ v, weights", "return weights @ v")],
    ),
    "a function ruled out": (
        "attention",
        "way",
        "forbidden",
        [("return weights @ v", "return F.scaled_dot_product_attention(q, k, v)")],
    ),
    "a function ruled out under its own name": (
        "attention",
        "way",
        "forbidden",
        [("return weights @ v", "return torch._scaled_dot_product_attention_math(q, k, v)[0]")],
    ),
    "a function ruled out as an operator": (
        "attention",
        "way",
        "forbidden",
        [("return weights @ v", f"return {OPERATOR}.default(q, k, v)")],
    ),
    "a function of another library": (
        "attention",
        "way",
        "forbidden",
        [("return weights @ v, weights", LIBRARY)],
    ),
    "forward": ("SelfAttention", "care", "by_forward", [("self.key(x)", "self.key.forward(x)")]),
    "a layer left out": (
        "SelfAttention",
        "values",
        "fewer_layers",
        [("self.key = nn.Linear(input_dim, key_dim)", "self.key = self.query")],
    ),
    "a layer too many": (
        "SelfAttention",
        "values",
        "more_layers",
        [
            (LAST, f"x = self.more(x)\n        {LAST}"),
            ("self.key = nn", "self.more = nn.Linear(input_dim, key_dim)\n        self.key = nn"),
        ],
    ),
    "no bias": ("SelfAttention", "parts", "no_bias", [(VALUE, f"{VALUE[:-1]}, bias=False)")]),
    "another size": (
        "SelfAttention",
        "values",
        "other_layer",
        [
            ("self.query = nn.Linear(input_dim, key_dim)", "self.query = nn.Linear(input_dim, 64)"),
            ("self.key = nn.Linear(input_dim, key_dim)", "self.key = nn.Linear(input_dim, 64)"),
        ],
    ),
    "layers made in a call": (
        "SelfAttention",
        "parts",
        "no_layers",
        [
            (FORWARD, "q, k, v = (nn.Linear(x.shape[-1], n)(x) for n in self.sizes)"),
            (
                "self.query = nn.Linear(input_dim, key_dim)",
                "self.sizes = key_dim, key_dim, output_dim",
            ),
            ("        self.key = nn.Linear(input_dim, key_dim)\n", ""),
            (f"        self.value = {VALUE}\n", ""),
        ],
    ),
}


@pytest.mark.parametrize("kind", SEEN)
def test_what_is_seen_is_named(kind: str) -> None:
    answer, aspect, name, changes = SEEN[kind]
    assert judge(answer).observed(changed(answer, *changes)).get(aspect) == name


def test_where_numbers_are_just_off_is_no_sign() -> None:
    off = "@ v * (1 + 4e-4 * (v.shape == k.shape)), weights"
    assert judge("attention").observed(changed("attention", ("@ v, weights", off))) == {"sizes": ""}


GATE = """
class Gate(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gate = nn.Linear(d, d, bias=False)
        self.norm = nn.LayerNorm(d)

    def forward(self, x):
        return self.norm(x * torch.sigmoid(self.gate(x)))
"""


@pytest.mark.parametrize(
    ("was", "becomes", "name"),
    [
        (", bias=False", "", "extra_bias"),
        ("self.norm(x", "nn.LayerNorm(x.shape[-1])(self.more(self.norm(x))", "more_layers"),
    ],
)
def test_a_bias_too_many_is_no_layer_too_many(was: str, becomes: str, name: str) -> None:
    made = "self.norm = nn.LayerNorm(d)"
    wrong = GATE.replace(made, f"{made}; self.more = nn.LayerNorm(d)") if name[0] == "m" else GATE
    domain = replace(DOMAINS["Scaled"], answer="Gate")
    assert name in Judge(domain, GATE).observed(wrong.replace(was, becomes)).values()


def test_the_sizes_of_another_setting_are_not_called_fixed() -> None:
    domain = Domain(
        answer="largest",
        sizes={"N": 2, "d": 3},
        inputs={"x": "N d"},
        returns={"output": "N"},
        settings={"k": (2, 50)},
        differentiable=False,
    )
    solution = "def largest(x, k):\n    return x.topk(min(k, x.shape[-1])).values.sum(-1)"
    found = Judge(domain, solution).observed(solution.replace("min(k, x.shape[-1])", "k"))
    assert "fixed_size" not in found.values()


ONES = "torch.ones(len(q), q.shape[1], k.shape[1], device=q.device).bool()"
MAY_BE_MASKED = MASKED.replace(
    "q, k, v, mask):", f"q, k, v, mask=None):\n    mask = {ONES} if mask is None else mask"
)
TURNED_BACK = MAY_BE_MASKED.replace(".bool()", ".bool().tril()")


@cache
def judge_of_an_optional_mask() -> Judge:
    return Judge(replace(DOMAINS["masked_attention"], optional=("mask",)), MAY_BE_MASKED)


def test_an_input_that_is_left_out() -> None:
    assert judge_of_an_optional_mask().observed(TURNED_BACK)["bare"] == "without_alone"


def test_what_is_wrong_elsewhere_too_is_not_said_to_be_wrong_there_alone() -> None:
    rows_of_zeros = f"{SCORES}; scores = scores - 1e9 * (k == 0).all(-1)[:, None]"
    large = f"{SCORES}; scores = scores.clamp(-99, 99)"
    found = judge("attention").observed(changed("attention", (SCORES, large)))
    assert found["extremes"] == ""
    both = changed("attention", (SCORES, rows_of_zeros), ("weights @ v", "weights @ v.tril()"))
    assert "zeros_alone" not in judge("attention").observed(both).values()


def test_an_optional_input_is_not_blamed_where_a_mask_is_finite() -> None:
    wrong = TURNED_BACK.replace("-math.inf", "-1e9")
    found = judge_of_an_optional_mask().observed(wrong)
    assert found["bare"] == found["extremes"] == ""


def test_sizes_that_are_one_have_that_in_common_if_no_right_case_has_one() -> None:
    sizes = {"B": 2, "heads": 3, "L": 5}
    example = Case("example", "values", sizes)
    one_in_one = Case("some", "sizes", {**sizes, "B": 1})
    one_in_other = Case("some", "sizes", {**sizes, "heads": 1})
    one_in_third = replace(one_in_one, sizes={**sizes, "L": 1})
    assert size_in_common([one_in_one, one_in_other], [example]) == "small_alone"
    assert size_in_common([one_in_one, one_in_other], [example, one_in_third]) == ""
    assert size_in_common([one_in_one, example], [example]) == ""
    assert size_in_common([one_in_one], [example]) == "small_alone"
    long = replace(one_in_one, sizes={**sizes, "B": 1, "L": 130})
    assert size_in_common([long], [example]) == "long_alone"
    wide = replace(one_in_one, sizes={**sizes, "heads": 40})
    assert large_in_common([wide, long], [example], sizes) == ""
    assert large_in_common([wide], [example], sizes) == "large_alone"
    assert large_in_common([wide], [example], ["B", "L"]) == ""


HALF_THE_GRADIENT = "v = (v + v.detach()) / 2"


@pytest.mark.parametrize("where", ["0 * v.sum() > 0", "len(k[0]) == 5", "len(v) == 1"])
def test_numbers_are_called_right_only_where_all_are(where: str) -> None:
    twice = f"v = 2 * v if {where} else v"
    wrong = changed("attention", (SCORES, f"{SCORES}; {HALF_THE_GRADIENT}; {twice}"))
    whole = where.startswith("0")
    named = judge("attention").observed(wrong).get("gradients")
    assert (named == "part_of_the_gradient") == whole


def test_a_size_that_does_no_harm_elsewhere_is_not_blamed() -> None:
    sizes = {"B": 2, "heads": 3, "L": 5}
    example = Case("example", "values", sizes)
    single = Case("some", "sizes", {**sizes, "B": 1})
    long = replace(single, sizes={**sizes, "L": 130})
    both = replace(single, sizes={**sizes, "B": 1, "L": 130})
    assert size_in_common([both], [example, single]) == "long_alone"
    assert size_in_common([both], [example, long]) == "small_alone"
    assert size_in_common([both], [example, single, long]) == ""
    wide = replace(single, sizes={**sizes, "heads": 40})
    assert large_in_common([wide], [example, wide], sizes) == ""


def test_an_error_where_sizes_are_one_alone_is_that_of_a_lost_axis() -> None:
    lost = "q, k, v = q.squeeze(), k.squeeze(), v.squeeze()\n    assert q.size(-2) > 0"
    wrong = changed("attention", (SCORES, f"{lost}\n    {SCORES}"))
    assert judge("attention").observed(wrong)["sizes"] == "small_alone"


def test_what_is_overwritten_is_not_said_to_be_told_apart() -> None:
    source = changed("attention", (SCORES, f"q.div_(2)\n    {SCORES.replace('q @', '2 * q @')}"))
    assert judge("attention").observed(source)["sizes"] == "changed"


def test_padding_everywhere_is_not_called_zeros() -> None:
    domain = Domain(
        answer="real",
        sizes={"N": 2, "L": 5},
        inputs={"ids": Tokens("N L", "L")},
        returns={"mask": "N L"},
        differentiable=False,
    )
    solution = "def real(ids):\n    return ids != 0"
    wrong = "def real(ids):\n    return (ids != 0) | (ids == 0).all()"
    found = Judge(domain, solution).observed(wrong)
    assert found
    assert "zeros_alone" not in found.values()


def test_a_gradient_is_not_called_that_of_one_mode_where_no_other_is_looked_at() -> None:
    domain = replace(DOMAINS["SelfAttention"], dropout=True)
    battery = Battery(domain, values=1, modes=1)
    wrong = changed("SelfAttention", ("self.query(x)", "self.query(2 * x - x.detach())"))
    found = Judge(domain, SOLUTIONS["SelfAttention"], battery).observed(wrong)
    assert found == {"modes": ""}


def test_numbers_that_are_merely_wrong_are_not_named() -> None:
    found = judge("attention").observed(changed("attention", ("weights @ v", "2 * weights @ v")))
    assert found["values"] == ""


def test_a_layer_of_another_size_is_told_by_the_students_own_name() -> None:
    answer, _, _, changes = SEEN["another size"]
    said = judge(answer).failures(changed(answer, *changes))["values"]
    assert "None of them has the shape of `query.weight`" in said


def test_layers_that_fit_in_some_sizes_alone_are_not_called_an_attribute() -> None:
    source = changed(
        "SelfAttention",
        (
            "self.key = nn.Linear(input_dim, key_dim)",
            "self.key = self.query if input_dim == key_dim else nn.Linear(input_dim, key_dim)",
        ),
    )
    failures = judge("SelfAttention").failures(source)
    assert "parts" not in failures
    assert "are not those of the 3 layers" in failures["sizes"]


def test_every_name_has_a_sentence_of_its_own_kind() -> None:
    assert set(battery_sentences.CARE) <= set(OBSERVED)
    assert {name for _, _, name, _ in SEEN.values()} <= set(OBSERVED)
    assert set(OBSERVED) & set(CLAUSES) == {
        *("cut_gradient", "no_bias", "other_kind", "squeezed", "fixed_size")
    }


def test_every_case_is_told_in_words() -> None:
    domains = [*DOMAINS.values(), replace(DOMAINS["masked_attention"], optional=("mask",))]
    dropping = replace(DOMAINS["SelfAttention"], dropout=True)
    cases = {case.id for domain in [*domains, dropping] for case in domain.cases()}
    assert {"two_inputs", "bare_one_input", "distant", "huge", "half", "training"} <= cases
    assert cases - {*PLAIN_CASES} <= set(battery_sentences.CASES)


def test_who_takes_gradients_from_an_input_where_none_are_asked_for_is_told() -> None:
    domain = replace(DOMAINS["attention"], differentiable=False, forbidden=(), ready_made=())
    of_inputs = Judge(domain, SOLUTIONS["attention"])
    assert of_inputs.observed(SOLUTIONS["attention"]) == {}
    frozen = SOLUTIONS["attention"].replace(SCORES, f"q.requires_grad_(False); {SCORES}")
    assert of_inputs.observed(frozen) == {"care": "unmarked"}
