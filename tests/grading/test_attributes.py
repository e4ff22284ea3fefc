"""Later answers find the layers of an earlier one by the student's names, whoever's it is."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest
from conftest import GraderOf
from mini import answer, mini_assignment, write_source

from autograder.course.assignments import Course
from autograder.course.cells import is_solution, name_of
from autograder.course.limits import Limits
from autograder.grading.attributes import known_as
from autograder.grading.grader import Grader

LIMITS = Limits(cell_seconds=2, probe_seconds=2, submission_seconds=20)
DOUBLE = """
class Twice(torch.nn.Module):
    def forward(self, x):
        return 2 * x

class Double(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.{name} = Twice()

    def forward(self, x):
        return self.{name}(x){more}

def double(x):
    return Double()(x)
"""
BLOCK = """
class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        {}

    def forward(self, x):
        return x
"""
OWN_NAMES = {
    "transformer": {
        "self.decoder": "self.decoder_layers",
        " & padding_mask(tgt, self.pad_id)": "",
    },
    "decoder_block": {
        "self.self_attention": "self.look_back",
        "self.cross_attention": "self.look_at_source",
        "x + told": "told",
    },
}
"""With a mistake in each."""
BY_NAME = """
def cross_attention(model, src, tgt):
    found = []
    handles = [
        layer.look_at_source.register_forward_hook(lambda *call: found.append(call[2][1]))
        for layer in model.decoder_layers
    ]
    model(src, tgt)
    for handle in handles:
        handle.remove()
    return found
"""
THEIRS = (
    "self.attend = Attention(size)",
    "self.look = Attention(size)",
    "self.layers = nn.ModuleList(Layer(size) for _ in range(2))",
    "self.net = nn.Sequential(nn.Linear(size, 9), nn.ReLU(), nn.Linear(9, size))",
)


def block(*lines: str) -> str:
    return BLOCK.format("\n        ".join(lines))


def aliases(*students: str) -> dict[str, str]:
    """By the student's name of a layer that the instructor's block has."""
    found = known_as(block(*students), block(*THEIRS)).splitlines()
    pairs = [line.split(" = property(lambda module: module.") for line in found]
    return {own.removeprefix("Block."): other.removesuffix(")") for own, other in pairs}


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    assignment = mini_assignment(tmp_path_factory.mktemp("course"))
    double = DOUBLE.format(name="inner", more="")
    write_source(assignment, double=double, triple="def triple(x):\n    return double(x) + x")
    with Grader(assignment, LIMITS) as warm:
        yield warm


def test_a_right_answer_reaches_into_the_module_that_stands_in_for_a_wrong_one(
    grader: Grader,
) -> None:
    wrong = DOUBLE.format(name="my_part", more=" + 1")
    triple = "def triple(x):\n    return Double().my_part(x) + x"
    found = grader.grade(answer(grader.assignment, double=wrong, triple=triple), "x").result
    scores = {question.slug: question.score for question in found.questions}
    assert scores["double"] == 0
    assert scores["triple"] == found.question("triple").max_score


def test_the_attention_of_a_wrong_transformer_is_found_by_the_students_names(
    course: Course, grader_of: GraderOf
) -> None:
    notebook = copy.deepcopy(course.assignment("a3_seq2seq_reversal").solved)
    cells = {name_of(cell): cell for cell in notebook.cells if is_solution(cell)}
    for slug, changes in OWN_NAMES.items():
        for old, new in changes.items():
            assert old in cells[slug].source
            cells[slug].source = cells[slug].source.replace(old, new)
    cells["cross_attention"].source = BY_NAME
    result = grader_of("a3_seq2seq_reversal").grade(notebook, "x").result
    found = {slug: result.question(slug) for slug in ("transformer", "decoder_block")}
    assert {one.status for one in found.values()} == {"wrong"}
    assert result.question("cross_attention").status == "ok"


def test_layers_of_one_class_are_taken_in_their_order() -> None:
    assert aliases("self.second_norm = Attention(size)", "self.third = Attention(size)") == {
        "second_norm": "attend",
        "third": "look",
    }


@pytest.mark.parametrize(
    "lines",
    [
        ["self.mine = nn.ModuleList([Layer(size), Layer(size)])"],
        ["self.mine: nn.ModuleList = clones(Layer(size), 2)"],
        ["made = [Layer(size) for _ in range(2)]", "self.mine = nn.ModuleList(made)"],
        ["self.mine = nn.ModuleList()", "for _ in range(2):", "    self.mine.append(Layer(size))"],
        ["self.mine = nn.Sequential(*(course.Layer(size=size) for _ in range(2)))"],
    ],
)
def test_a_list_of_layers_is_known_however_it_is_made(lines: list[str]) -> None:
    assert aliases(*lines) == {"mine": "layers"}


@pytest.mark.parametrize(
    "lines",
    [
        ["self.attend = Attention(size)", "self.look = Attention(size)"],  # the same names
        ["self.one = Attention(size)"],  # another number of them
        ["self.attend = Layer(size)"],  # a name that means another one
        ["self.forward = Layer(size)"],
        ["self.one = nn.Linear(size, 9)", "self.two = nn.Linear(9, size)"],
        ["self.size = size"],
    ],
)
def test_what_cannot_be_told_has_no_other_name(lines: list[str]) -> None:
    assert aliases(*lines) == {}


def test_what_is_no_class_or_no_python_has_no_other_names() -> None:
    assert known_as("def Block(): ...", block(*THEIRS)) == ""
    assert known_as("class Block: pass", block(*THEIRS)) == ""
    assert known_as("class Block:", block(*THEIRS)) == ""
