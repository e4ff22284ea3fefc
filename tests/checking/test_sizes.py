"""Sizes at which answers break that look right: one position, and vectors of another size later."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from autograder.checking import Domain, Floats, Probe
from autograder.checking.choosing import is_as_called
from checking.answers import Judge

BEST = "def best(logits):\n    return logits.argmax(-1)"
BESTS = Domain(
    answer="best",
    sizes={"N": 2, "L": 3, "V": 5},
    inputs={"logits": Floats("N L V", scale=2.0)},
    returns={"ids": "N L"},
    differentiable=False,
    extremes=False,
)
SCORES = """
class Scores(nn.Module):
    def forward(self, q, k):
        return q @ k.mT / math.sqrt(q.shape[-1])
"""
FROZEN = """
class Scores(nn.Module):
    scale = None

    def forward(self, q, k):
        if self.scale is None:
            self.scale = math.sqrt(q.shape[-1])
        return q @ k.mT / self.scale
"""


def made(answers: Any, **sizes: int) -> Any:
    return answers.Scores()


def made_for(answers: Any, d: int, **sizes: int) -> Any:
    return answers.Scores()


def scores(**how: Any) -> Domain:
    return Domain(
        answer="Scores",
        sizes={"N": 2, "L_q": 3, "L_k": 4, "d": 5},
        inputs={"q": "N L_q d", "k": "N L_k d"},
        returns={"scores": "N L_q L_k"},
        **how,
    )


def test_a_squeezed_axis_is_missed_where_there_is_one_position() -> None:
    squeezed = f"{BEST}.squeeze() if len(logits) > 1 else logits.argmax(-1)"
    found = Judge(BESTS, BEST).failures(squeezed)
    assert found.keys() == {"sizes"}
    assert found["sizes"].startswith("For sequences of one position (N 2, L 1, V 5):")


@pytest.mark.parametrize(
    ("bounds", "case", "nearly"),
    [
        ({}, "short", False),
        ({"smallest": {"L_q": 2}}, "short", True),
        ({}, "single", False),
        ({"sizes": {"N": 4, "L_q": 3, "L_k": 5, "d": 6}, "smallest": {"N": 2}}, "single", True),
        ({}, "equal", False),
        ({"largest": {"d": 3}}, "equal", True),
        ({"multiples": {"d": 3}}, "equal", True),
        ({}, "equal_lengths", False),
        ({"largest": {"L_k": 5}}, "equal_lengths", True),
        ({"sizes": {"N": 2, "L_k": 4, "d": 5}}, "equal_lengths", True),
        ({}, "equal_widths", True),
        ({"sizes": {"N": 2, "L_q": 3, "L_k": 4, "d": 5, "w": 7}}, "equal_widths", False),
        ({}, "ones", False),
    ],
)
def test_sizes_are_told_as_what_they_are(bounds: dict[str, Any], case: str, nearly: bool) -> None:
    domain = replace(scores(), **bounds, inputs={"x": "N"}, returns={"y": "N"})
    (found,) = (one for one in domain.cases() if one.id == case)
    assert is_as_called(found, list(domain.sizes)) is not nearly


def test_the_shortest_sequences_are_not_called_one_position() -> None:
    squeezed = f"{BEST} if 1 in logits.shape or logits.shape[1] > 2 else logits.argmax(-1) + 1"
    found = Judge(replace(BESTS, smallest={"L": 2}), BEST).failures(squeezed)
    assert found["sizes"].startswith("For the shortest sequences (N 2, L 2, V 5):")


@pytest.mark.parametrize("how", [{"arguments": ()}, {"make": Probe(made)}])
def test_a_module_that_any_size_may_come_to_meets_another_later(how: dict[str, Any]) -> None:
    assert "care" in Judge(scores(**how), SCORES).failures(FROZEN)


def test_a_size_that_a_module_is_made_for_stays() -> None:
    assert scores(make=Probe(made_for)).sizes_of_module == {"d"}
    assert "care" not in Judge(scores(make=Probe(made_for)), SCORES).failures(FROZEN)


def test_what_a_derived_size_follows_from_stays_too() -> None:
    domain = Domain(
        answer="A",
        sizes={"N": 2, "L": 3, "heads": 2, "size": 4, "C": 5},
        derived={"dim": "heads*size"},
        arguments=("dim",),
        inputs={"x": "N L dim", "y": "N C"},
        returns={"z": "N L"},
    )
    made = domain.made.tensors(next(case for case in domain.cases() if case.again))
    other = {name: list(tensor.shape) for name, tensor in made.items() if "/other/" in name}
    assert other == {"example/other/x": [1, 2, 8], "example/other/y": [1, 4]}


MERGED = """
class Merged(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.layer = nn.Linear(d, d)

    def merged(self):
        return lambda x: F.linear(x, self.layer.weight + 1, self.layer.bias)
"""
COPIED = """new = copy.deepcopy(self.layer)
        new.weight.data += 1
        return new"""


def test_a_copy_of_a_layer_answers_as_itself_and_not_as_the_original() -> None:
    def asked(module: Any, x: Any) -> Any:
        return module.merged()(x)

    domain = Domain(
        answer="Merged",
        sizes={"N": 2, "d": 3},
        arguments=("d",),
        inputs={"x": "N d"},
        returns={"y": "N d"},
        call=Probe(asked),
        differentiable=False,
    )
    last = "return lambda x: F.linear(x, self.layer.weight + 1, self.layer.bias)"
    copied = f"import copy\n{MERGED.replace(last, COPIED)}"
    assert Judge(domain, MERGED).failures(copied) == {}
