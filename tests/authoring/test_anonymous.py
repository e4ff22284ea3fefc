"""Code of a student without anything of the student's, which does what it did."""

from __future__ import annotations

import nbformat
import pytest
import torch

from autograder.authoring.anonymous import Vocabulary, anonymous

COURSE = nbformat.v4.new_notebook(
    cells=[
        nbformat.v4.new_markdown_cell("Write `weights` of the scores. Hide with a large number."),
        nbformat.v4.new_code_cell("def weights(query, key, hidden=1000000):\n    return query"),
    ]
)
PEOPLE = ["anna.weber", "demo-4711023", "Jonas", "query-fan"]
VOCABULARY = Vocabulary([COURSE], PEOPLE)
GIVEN = '''# Anna Weber, 4711023
"""Anna's homework, written with Jonas."""
import torch as jonas_lib
from torch import nn

class WeberLayer(nn.Module):
    "By Anna"
    anna_scale: "float" = 2.0

    def __init__(self, anna_dim=3, *, jonas=4711023):
        super().__init__()
        self.anna_weight = nn.Parameter(jonas_lib.ones(anna_dim))
        setattr(self, "anna_weight", self.anna_weight)
        self.by = {"Anna": 1.0}

    def anna_forward(self, x):
        """Anna did this."""
        try:
            "Jonas was here"
            return x * self.anna_weight * self.by["Anna"]
        except ValueError as jonas:
            raise ValueError(f"Anna: {jonas}") from None

def weights(query, key, hidden=1000000):
    global anna_count
    anna_count = 0
    layer = WeberLayer(anna_dim=3, jonas=4711023)
    return jonas_lib.einsum("ana,bnx->xb", query, key), layer.anna_forward(jonas_lib.ones(3))
'''
SAFE = """def weights(query, key):
    scores = torch.matmul(query, key.mT)
    return scores.softmax(dim=-1)
"""


def test_nothing_of_anybody_is_left() -> None:
    found = anonymous(GIVEN, VOCABULARY).casefold()
    for word in ("anna", "weber", "jonas", "4711023", "homework", "here", "#", '"""'):
        assert word not in found, word
    assert "1000000" in found


def test_it_does_what_it_did() -> None:
    first: dict[str, object] = {}
    second: dict[str, object] = {}
    exec(GIVEN.replace("ana,bnx->xb", "iji,kjl->lk"), first)
    exec(anonymous(GIVEN.replace("ana,bnx->xb", "iji,kjl->lk"), VOCABULARY), second)
    given = torch.rand(3, 4, 3), torch.rand(2, 4, 5)
    for one, other in zip(
        first["weights"](*given),  # type: ignore[operator]
        second["weights"](*given),  # type: ignore[operator]
        strict=True,
    ):
        assert torch.equal(one, other)


def test_what_everybody_may_write_stays() -> None:
    assert anonymous(SAFE, VOCABULARY) == SAFE


@pytest.mark.parametrize(
    "source",
    ["", "def broken(:", "# Anna", "'Anna'", "%cd anna", "x = 1" + " + 1" * 900],
    ids=lambda source: source[:12],
)
def test_what_is_no_code_becomes_none(source: str) -> None:
    assert anonymous(source, VOCABULARY) == ""


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("x = 'By Li'", "x = 'text1'"),
        ("x = b'Anna'", "x = b''"),
        ("x = 4711023.0", "x = 0.0"),
        ("x = f'{y} of Anna'", "x = f'{y}text1'"),
        ("x = lambda anna: anna", "x = lambda name1: name1"),
        ("f(anna=1)\nanna = 2", "f(name1=1)\nname1 = 2"),
        ("import anna as a", "import name1 as a"),
        ("from anna.tools import weber", "from name1.name2 import name3"),
        ("import torch.nn.functional as F", "import torch.nn.functional as F"),
        ("if False:\n    weber(x.anna)", "if False:\n    name1(x.name2)"),
        ("x = 'a,b'.split(',').pop()", "x = 'a,b'.split(',').pop()"),
        ("x = 1\n!ls anna", "x = 1"),
        ("match x:\n    case [anna, *weber]:\n        pass", None),
        ("def f():\n    'Anna'", "def f():\n    pass"),
    ],
)
def test_no_place_of_a_name_or_text_is_left_out(given: str, left: str | None) -> None:
    found = anonymous(given, VOCABULARY)
    if left is not None:
        assert found == f"{left}\n"
    else:
        assert "anna" not in found
        assert "weber" not in found


def test_a_letter_of_a_subscript_stands_for_its_axis() -> None:
    found = anonymous('y = torch.einsum("jan,nea->je", a, b)', VOCABULARY)
    assert found == "y = torch.einsum('abc,cdb->ad', a, b)\n"


@pytest.mark.parametrize(
    "source", ["x = -1e9", "x = 10000", "x = 0.02", "x = 3000000", "x = 2024", "x = 3.4028e+38"]
)
def test_numbers_that_could_be_anybodys_stay(source: str) -> None:
    assert anonymous(source, VOCABULARY) == f"{source.replace('1e9', '1000000000.0')}\n"


def test_a_name_that_a_student_has_is_no_known_word() -> None:
    assert "fan" not in anonymous("fan_in = 3", VOCABULARY)
    assert "fan" in anonymous("fan_in = 3", Vocabulary([COURSE], []))
