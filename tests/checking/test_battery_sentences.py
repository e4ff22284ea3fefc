"""What a battery says of a wrong answer, and which of two things it says first."""

from __future__ import annotations

import pytest

from autograder.results import battery_sentences
from checking.questions import ATTENTION, FORWARD, changed, judge

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


def test_an_error_is_told_with_the_students_line_and_the_case() -> None:
    source = changed("attention", ("    return", "    assert q.shape[0] > 1, 'batch'\n    return"))
    failures = judge("attention").failures(source)
    assert set(failures) == {"sizes"}
    assert "Your code raised AssertionError: batch" in failures["sizes"]
    assert "line 5" in failures["sizes"]
    assert "N 1" in failures["sizes"]


def test_an_error_with_half_a_character_is_told() -> None:
    raising = "    raise ValueError('batch \\ud83d')\n    return"
    failures = judge("attention").failures(changed("attention", ("    return", raising)))
    assert "Your code raised ValueError: batch ?" in failures["values"]
    assert not [said for said in failures.values() if "returned no" in said]


def test_a_result_is_told_by_the_name_that_its_class_really_has() -> None:
    source = """
class Meta(type):
    __name__ = "\\ud800"

class Pair(metaclass=Meta):
    pass

def attention(q, k, v):
    return Pair(), Pair()
"""
    assert "is of type Pair" in judge("attention").failures(source)["values"]


@pytest.mark.parametrize(
    ("made", "used", "said"),
    [
        ("self.add_module('key \\ud800', {})", "getattr(self, 'key \\ud800')", None),
        ("setattr(self, 'key \\ud800', [{}])", "getattr(self, 'key \\ud800')[0]", "in `key ?`"),
    ],
)
def test_layers_with_half_a_character_in_their_names_are_layers(
    made: str, used: str, said: str | None
) -> None:
    layer = "nn.Linear(input_dim, key_dim)"
    changes = (f"self.key = {layer}", made.format(layer)), ("self.key(x)", f"{used}(x)")
    failures = judge("SelfAttention").failures(changed("SelfAttention", *changes))
    if said is None:
        assert failures == {}
    else:
        assert f"PyTorch does not find what learns {said}" in failures["parts"]


def test_of_a_result_of_another_shape_no_gradient_is_said_to_be_cut_off() -> None:
    source = changed("SelfAttention", ("torch.softmax", "(torch.softmax"), ("@ v", "@ v).mean(1)"))
    failures = judge("SelfAttention").failures(source)
    assert "`output` has shape (2, 5); expected" in failures["gradients"]
    assert not any("No gradient reaches" in said for said in failures.values())


def test_an_input_that_leaves_but_a_trace_in_the_answer_is_told() -> None:
    source = """
def attention(q, k, v):
    weights = q.new_full((q.shape[0], q.shape[1], k.shape[1]), 1 / k.shape[1])
    weights = weights + 1e-9 * (q.sum() + k.sum())
    return weights @ v, weights
"""
    said = judge("attention").failures(source)["gradients"]
    assert "Next to no gradient reaches `q`" in said


def test_a_parameter_whose_name_has_line_breaks_is_told_on_one_line() -> None:
    name = "key\\n**all held**"
    made = (
        f"self.add_module('{name}', nn.Linear(input_dim, key_dim))\n"
        f"        getattr(self, '{name}').weight.register_hook(lambda found: 2 * found)"
    )
    changes = (
        ("self.key = nn.Linear(input_dim, key_dim)", made),
        ("self.key(x)", f"getattr(self, '{name}')(x)"),
    )
    failures = judge("SelfAttention").failures(changed("SelfAttention", *changes))
    assert "reaches key **all held**.weight`" in failures["gradients"]


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


def test_a_missing_name_is_told() -> None:
    assert judge("attention").failures("attend = 1")["values"] == (
        "`attention` is not defined: keep the name that the question gives."
    )


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "The module has parameters, and the question asks for no layer that has any."),
        (1, "The module's parameters are not those of the one layer that the question asks for: "),
        (2, "The module's parameters are not those of the 2 layers that the question asks for: "),
    ],
)
def test_layers_that_do_not_fit_are_told_whatever_their_number(count: int, said: str) -> None:
    assert battery_sentences.layers_do_not_fit(count).startswith(said)
