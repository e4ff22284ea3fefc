"""A wrong answer is named when its probes say what a known misconception says, else not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
import torch
from conftest import GraderOf, Submit
from mini import answer, mini_assignment, write_source

from autograder.authoring.expected import (
    misconception_differences,
    record,
    record_misconceptions,
    write_misconceptions,
)
from autograder.box.probes import ProbeRun
from autograder.checking.kinds import OBSERVED
from autograder.checking.misconceptions import Misconception, misconceptions
from autograder.course.assignments import Assignment
from autograder.course.limits import Limits
from autograder.errors import UsageError
from autograder.grading.grader import Grader
from autograder.grading.mistakes import Cases, Known, Mistakes, as_bytes, by_case, known, load
from autograder.grading.prints import Print
from autograder.grading.recognition import name_misconceptions, parts
from autograder.grading.transcripts import Utterance
from autograder.grading.trial import trial
from autograder.results.model import CheckResult, Diagnosis
from autograder.results.text import said_once

ADDED_IN_PLACE = "self.dropout(x.add_(self.pe[: x.shape[1]]))"
LIBRARY = """
from autograder.checking.misconceptions import Misconception

MISCONCEPTIONS = [
    Misconception("doubled", "You multiplied by two. Read the name.", {"3 * x": "2 * x"}),
    Misconception("magnitude", "You lost the sign.", {"3 * x": "3 * x.abs()"}),
    Misconception("a_column", "You added one.", code="def triple(x):\\n    return 3 * x[:, None]"),
]
"""


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    assignment = mini_assignment(tmp_path_factory.mktemp("course"))
    write_source(assignment)
    (assignment.checks / "misconceptions").mkdir()
    assignment.misconceptions_file("triple").write_text(LIBRARY)
    with Grader(assignment) as grader:
        write_misconceptions(assignment, record_misconceptions(grader, record(grader))[0])
    return assignment


@pytest.fixture(scope="module")
def grader(mini: Assignment) -> Iterator[Grader]:
    with Grader(mini) as warm:
        yield warm


def checks(grader: Grader, triple: str) -> list[CheckResult]:
    notebook = answer(grader.assignment, triple=f"def triple(x):\n    return {triple}")
    return grader.grade(notebook, "x").result.question("triple").checks


@pytest.mark.parametrize(
    ("triple", "named"),
    [
        ("x + x", ["doubled", "doubled"]),
        ("2 * x + 1e-7", ["doubled", "doubled"]),
        ("(3 * x).abs()", [None, "magnitude"]),
        ("(3 * x).reshape(-1, 1)", ["a_column", "a_column"]),
        ("4 * x", [None, None]),
        ("2.1 * x", [None, None]),
        ("x[0]", [None, None]),
        ("1 / 0", [None, None]),
        ("3 * x", [None, None]),
        ("3.0 * x", [None, None]),
        ("2 * x.to(torch.complex64)", [None, None]),
    ],
)
def test_only_what_equals_a_misconception_gets_its_name(
    triple: str, named: list[str | None], grader: Grader
) -> None:
    assert [check.misconception for check in checks(grader, triple)] == named


def test_the_sentence_is_read_once_and_beside_the_message(grader: Grader) -> None:
    first, second = checks(grader, "x + x")
    said = said_once([first, second])
    assert [one.cause for one in said] == ["You multiplied by two. Read the name.", ""]
    assert "values are wrong" in said[0].message


def test_what_passes_is_never_named(grader: Grader) -> None:
    first, second = checks(grader, "3 * x.abs()")
    assert (first.passed, first.diagnosis) == (True, None)
    assert second.misconception == "magnitude"


def test_a_mistake_that_is_made_in_some_cases_alone_is_told_of_them(grader: Grader) -> None:
    """Equal in the second check, and right in the first, which the misconception fails as well."""
    first, second = checks(grader, "2 * x if x.sum() < 0 else 3 * x")
    assert (first.passed, first.diagnosis) == (True, None)
    assert second.diagnosis is not None
    assert (second.diagnosis.source, second.diagnosis.name) == ("misconception", "doubled")
    assert second.diagnosis.sentence == "In some cases: You multiplied by two. Read the name."


BROKEN_OFF = {
    "hangs": "while True:\n            pass",
    "starves": "raise MemoryError",
    "dies": "import os\n        os._exit(1)",
}
SHORT = Limits(cell_seconds=2, probe_seconds=2)


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    """With misconceptions that reply in the first check, if at all."""
    assignment = mini_assignment(tmp_path_factory.mktemp("course"))
    write_source(assignment)
    (assignment.checks / "misconceptions").mkdir()
    listed = [
        Misconception(f"{what}_{when}", "You did.", code=breaking_off(how, where))
        for what, how in BROKEN_OFF.items()
        for when, where in (("at_once", "True"), ("later", "x.sum() < 0"))
    ]
    assignment.misconceptions_file("triple").write_text(
        f"from autograder.checking import Misconception\n\nMISCONCEPTIONS = {listed}\n"
    )
    return assignment


def breaking_off(how: str, where: str, otherwise: str = "2 * x") -> str:
    return f"def triple(x):\n    if {where}:\n        {how}\n    return {otherwise}"


def test_where_a_mistake_hangs_or_breaks_off_nothing_is_kept_of_it(lost: Assignment) -> None:
    """Whichever limit it reaches first: whatever comes after that is left out as well."""
    with Grader(lost, SHORT) as grader:
        made, faults = record_misconceptions(grader, record(grader))
    known = made["triple"].known
    assert {name: [*its.transcripts] for name, its in known.items()} == {
        f"{what}_{when}": kept
        for what in BROKEN_OFF
        for when, kept in (("at_once", []), ("later", ["values"]))
    }
    assert len(faults) == 2
    assert all("_later reply alike" in fault for fault in faults)
    write_misconceptions(lost, made)
    for how in BROKEN_OFF.values():
        notebook = answer(lost, triple=breaking_off(how, "x.sum() < 0", "5 * x"))
        with Grader(lost, SHORT, follows_through=False) as grader:
            checks = grader.grade(notebook, "x").result.question("triple").checks
        assert [check.misconception for check in checks] == [None, None]


def test_what_was_kept_of_a_hang_matches_no_hang() -> None:
    """Files of earlier versions hold it."""
    right = {"values": [Utterance.of(ProbeRun({"y": torch.zeros(3)}))]}
    library = {"one": known({"values": []}, right)}
    listed = {"one": Misconception("one", "You did.", {"a": "b"})}
    failed = CheckResult("values", "Values.", 1.0, passed=False, status="timeout")
    assert name_misconceptions([failed], {"values": []}, library, listed) == [failed]


SCALED_BEFORE = """
def attention(q, k, v):
    scores = (q / q.shape[-1]) @ k.mT
    att_values = torch.exp(scores - scores.amax(-1, keepdim=True))
    att_values = att_values / att_values.sum(-1, keepdim=True)
    return att_values @ v, att_values
"""


def test_a_mistake_written_in_another_order_is_told_as_all_that_there_is(
    grader_of: GraderOf, submit: Submit
) -> None:
    """In half precision its numbers are others than those that are known of the mistake."""
    grader = grader_of("a1_attention_blocks")
    result = grader.grade(submit(attention=SCALED_BEFORE), "x").result
    listed = misconceptions(grader.assignment, "attention")
    (named,) = [one for one in listed if one.name == "scaled_without_root"]
    found = [c.diagnosis for c in result.question("attention").checks if c.diagnosis]
    assert {one.sentence for one in found} == {named.sentence}


def test_a_mistake_of_its_own_has_its_name_beside_a_wrong_answer_that_it_rests_on(
    grader_of: GraderOf, submit: Submit
) -> None:
    """Where the solution of the earlier one stands in: its replies are then those known of it."""
    grader = grader_of("a1_attention_blocks")

    def known(slug: str, name: str) -> str:
        (one,) = [o for o in misconceptions(grader.assignment, slug) if o.name == name]
        return one.applied(grader.dependencies.source(slug))

    notebook = submit(
        attention=known("attention", "scaled_without_root"),
        cross_attention=known("cross_attention", "queries_from_y"),
    )
    found = grader.grade(notebook, "x").result.question("cross_attention")
    assert found.follow_through == ["attention"]
    assert {c.misconception for c in found.checks if not c.passed} == {"queries_from_y"}


RESIDUAL = """

class SelfAttention(SelfAttention):
    def forward(self, x):
        found = super().forward(x)
        return found + x if CONDITION else found
"""


@pytest.mark.parametrize(
    "condition", ["found.shape == x.shape", "found.shape == x.shape and len(x) > 1"]
)
def test_a_battery_names_a_mistake_in_the_cases_in_which_it_is_made(
    grader_of: GraderOf, submit: Submit, condition: str
) -> None:
    """At other sizes than the example's."""
    notebook = submit()
    cell = next(cell for cell in notebook.cells if cell.id == "self_attention")
    cell.source += RESIDUAL.replace("CONDITION", condition)
    result = grader_of("a1_attention_blocks").grade(notebook, "x").result
    found = [c.diagnosis for c in result.question("self_attention").checks if c.diagnosis]
    assert {one.name for one in found} == {"input_added"}
    start = "In some cases: You add the input"
    assert all(one.sentence.startswith(start) for one in found)


DROPPED = """

class PositionalEncoder(PositionalEncoder):
    def forward(self, x):
        return nn.functional.dropout(super().forward(x), 0.3, self.training)
"""


@pytest.mark.parametrize("mistake", [None, "input_not_scaled", "input_divided"])
def test_dropout_that_nobody_asked_for_hides_no_other_mistake(
    grader_of: GraderOf, submit: Submit, mistake: str | None
) -> None:
    grader = grader_of("a1_attention_blocks")
    notebook = submit()
    cell = next(cell for cell in notebook.cells if cell.id == "positional_encoder")
    listed = {one.name: one for one in misconceptions(grader.assignment, "positional_encoder")}
    cell.source = (listed[mistake].applied(cell.source) if mistake else cell.source) + DROPPED
    result = grader.grade(notebook, "x").result.question("positional_encoder")
    told = {c.name: c.diagnosis.name for c in result.checks if c.diagnosis}
    assert told["care"] == "drew"
    assert told.get("modes") == mistake
    assert told.get("values") == (None if mistake else "drew")
    right = {c.name for c in result.checks if c.passed}
    assert {"sine_in_the_even_columns", "pe_is_a_buffer"} <= right


@pytest.mark.parametrize(
    ("slug", "both", "named"),
    [
        ("attention", ("pair_exchanged", "scaled_by_value_size"), {"pair_exchanged"}),
        ("cross_attention", ("input_added", "no_bias"), set()),  # they raise alike, and no more
        ("masked_attention", ("lowered_by_a_number", "scores_not_scaled"), {"scores_not_scaled"}),
        ("self_attention", ("key_dim_ignored", "scaled_twice"), set()),
    ],
)
def test_of_two_mistakes_one_is_named_that_shows_alone_in_some_cases(
    grader_of: GraderOf, slug: str, both: tuple[str, str], named: set[str]
) -> None:
    grader = grader_of("a1_attention_blocks")
    listed = {one.name: one for one in misconceptions(grader.assignment, slug)}
    answer = grader.dependencies.source(slug)
    for name in both:
        answer = listed[name].applied(answer)
    checks = trial(grader, grader.assignment.question(slug), answer).checks
    told = {one.diagnosis for one in checks if one.diagnosis}
    assert {one.name: one.sentence for one in told if one.source == "part"} == {
        name: f"In some cases at least: {listed[name].sentence} There may be more to mend."
        for name in named
    }


THREE_IN_ONE = """
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.output_of_all, self.last = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)

    def cut(self, x, number):
        cut = self.output_of_all(x).chunk(3, dim=-1)[number]
        return CUT

    def forward(self, x_q, x_k, x_v, mask=None):
        parts = (self.cut(x, number) for number, x in enumerate((x_q, x_k, x_v)))
        found, weights = scaled_dot_product_attention(*parts, mask)
        return self.last(found.transpose(1, 2).flatten(2)), WEIGHTS
"""
CUT, WEIGHTS = "cut.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)", "weights"


@pytest.mark.parametrize(
    ("cut", "weights", "named"),
    [
        (CUT, WEIGHTS, set()),
        (CUT, "weights.mean(dim=1)", {"attention_averaged_over_heads"}),
        (
            "cut.reshape(len(x), self.num_heads, x.shape[1], -1)",
            WEIGHTS,
            {"heads_cut_from_positions"},
        ),
    ],
)
def test_a_mistake_has_its_name_where_one_layer_does_the_work_of_three(
    grader_of: GraderOf, cut: str, weights: str, named: set[str]
) -> None:
    grader = grader_of("a3_seq2seq_reversal")
    answer = THREE_IN_ONE.replace("CUT", cut).replace("WEIGHTS", weights)
    checks = trial(grader, grader.assignment.question("multi_head_attention"), answer).checks
    assert {one.diagnosis.name for one in checks if one.diagnosis} == named
    assert all(one.passed for one in checks) == (not named)


def prints(**sums: float) -> Cases:
    """By case, a print that differs where the sum does."""
    return {("values", c): Print(b"told", torch.tensor([one] * 3)) for c, one in sums.items()}


@pytest.mark.parametrize(
    ("its", "named"),
    [
        (prints(a=1, b=1, c=9, d=9), {"one": "ab"}),
        (prints(a=1, b=1, c=2, d=2), {"one": "ab", "other": "cd"}),
        (prints(a=1, b=9, c=9, d=9), {}),  # one case is no evidence
        (prints(a=1, b=1, c=9, d=9, e=9, f=9, g=9, h=9, i=9), {}),  # nor is a small part
        (prints(a=1, b=1, d=9), {"one": "ab"}),  # right where the mistake is wrong: half at least
        (prints(a=1, b=1, d=9, e=9, f=9), {}),
        (prints(a=0, b=0, c=9), {}),  # nothing but errors, or zeros
        (prints(c=2, d=2, a=1, b=1, e=4), {"one": "ab", "other": "cd"}),
        (prints(a=3, b=3, c=3, d=9), {}),  # twins
    ],
)
def test_a_mistake_is_made_beside_others_that_replies_so_in_a_part_of_the_cases(
    its: Cases, named: dict[str, str]
) -> None:
    known = {
        "one": prints(a=1, b=1, c=1),
        "other": prints(c=2, d=2),
        "twin": prints(a=3, b=3, c=3),
        "its_twin": prints(a=3, b=3),
        "zeros": prints(a=0, b=0, y=1),
    }
    found = parts(its, known)
    assert {name: "".join(sorted(c for _, c in part)) for name, part in found.items()} == named


def test_two_that_say_the_same_name_nobody() -> None:
    said = [Utterance.of(ProbeRun({"y": torch.ones(3)}))]
    right = {"values": [Utterance.of(ProbeRun({"y": torch.zeros(3)}))]}
    twins = {name: known({"values": said}, right) for name in ("one", "other")}
    listed = {name: Misconception(name, "You did.", {"a": "b"}) for name in twins}
    failed = [CheckResult("values", "Values.", 1.0, passed=False)]
    both = name_misconceptions(failed, {"values": said}, twins, listed)
    assert both[0].misconception is None
    alone = name_misconceptions(failed, {"values": said}, {"one": twins["one"]}, listed)
    assert alone[0].misconception == "one"


@pytest.mark.parametrize(
    ("reply", "further", "named"),
    [
        (2.0, ["other"], True),
        (float("nan"), [], True),
        (float("nan"), ["other"], False),
        (0.0, ["other"], False),
    ],
)
def test_zeros_and_nan_alone_name_nothing_where_more_goes_wrong_than_the_mistake_does(
    reply: float, further: list[str], named: bool
) -> None:
    def said(number: float) -> list[Utterance]:
        return [Utterance.of(ProbeRun({"y": torch.full((3,), number)}))]

    its = known(
        {c: said(reply) for c in ("large", "half")}, {c: said(1) for c in ("large", "half")}
    )
    heard = {"large": said(reply), "half": said(5), **{check: said(6) for check in further}}
    failed = [CheckResult(name, "Values.", 1.0, passed=False) for name in heard]
    listed = {"one": Misconception("one", "You did.", {"a": "b"})}
    found = name_misconceptions(failed, heard, {"one": its}, listed)
    assert (found[0].misconception == "one") == named


def test_replies_equal_to_the_right_ones_tell_nothing() -> None:
    said = [Utterance.of(ProbeRun({"y": torch.ones(3)}))]
    assert known({"values": said}, {"values": said}).telling == frozenset()


def test_complex_numbers_differ_in_both_parts() -> None:
    def said(number: complex) -> Utterance:
        return Utterance.of(ProbeRun({"y": torch.tensor([number])}))

    assert said(1 + 2j).equals(said(1 + 2j))
    assert not said(1 + 2j).equals(said(1 - 2j))
    assert not said(1 + 2j).equals(said(3 + 2j))


def test_whoever_calls_what_a_later_cell_defines_anew_is_not_said_to_write_it_out(
    grader_of: GraderOf, submit: Submit
) -> None:
    notebook = submit()
    place = [cell.id for cell in notebook.cells].index("check_attention")
    answered = next(cell.source for cell in notebook.cells if cell.id == "attention")
    unscaled = answered.replace(" / math.sqrt(q.shape[-1])", "")
    assert unscaled != answered
    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell(unscaled))
    result = grader_of("a1_attention_blocks").grade(notebook, "x").result
    assert result.question("attention").status == "ok"
    for slug in ("self_attention", "cross_attention"):
        checks = result.question(slug).checks
        (said,) = {check.diagnosis.sentence for check in checks if check.diagnosis}
        assert said == (
            "The scores are not scaled here, so the weights are too sharp. Do you write the "
            "formula out again, or does a cell of yours define `attention` anew?"
        )


def test_what_is_stored_is_read_back_and_is_the_same_to_the_byte(tmp_path: Path) -> None:
    run = ProbeRun({"y": torch.randn(40, 50)}, {"n": float("nan"), "s": "ü", "b": None})
    said = {"values": [Utterance.of(run), Utterance.of(ProbeRun(error={"name": "E", "text": "t"}))]}
    library = {"one": known(said, {"values": []}), "other": known(said, said)}
    mistakes = Mistakes(library, by_case({"values": said["values"][1:]}))
    path = tmp_path / "stored.safetensors"
    path.write_bytes(as_bytes(mistakes))
    found = load(path)
    stored = found.known
    assert stored.keys() == library.keys()
    assert all(stored[name].equals(library[name]) for name in library)
    assert not stored["one"].equals(Known(said, frozenset()))
    assert stored["one"].wrong.keys() == {("values", "0"), ("values", "1")}
    assert stored["other"].wrong == {}
    assert [one.equals(mistakes.right[case]) for case, one in found.right.items()] == [True]
    assert as_bytes(found) == path.read_bytes()
    assert path.stat().st_size < 3000


def test_a_renamed_misconception_is_noticed(mini: Assignment) -> None:
    assert misconception_differences(mini) == []
    path = mini.misconceptions_file("triple")
    path.write_text(LIBRARY.replace('"magnitude"', '"size"'))
    found = misconception_differences(mini)
    path.write_text(LIBRARY)
    assert found == [
        "triple: size has no stored replies",
        "triple: magnitude has stored replies but no code",
    ]


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ("2 * x", "3.0 * x", "triple: the misconception doubled loses no points"),
        ('"3 * x": "2 * x"', '"7 * x": "2 * x"', "holds 0 times"),
        ('"3 * x": "2 * x"', '"x": "y"', "holds 2 times"),
        ('"magnitude"', '"doubled"', "names two misconceptions alike"),
        (', {"3 * x": "2 * x"}', "", "replaces nothing"),
        ('"3 * x": "2 * x"', '"3 * x": "(2 * x"', "doubled: with it the cell is no Python"),
        ('{"3 * x": "2 * x"}', 'code="def triple(x:"', "doubled: with it the cell is no Python"),
        (', {"3 * x"', ', price="maths", replaced={"3 * x"', "has the price 'maths': there are"),
        ("MISCONCEPTIONS", "KNOWN", "lists no MISCONCEPTIONS"),
        ("MISCONCEPTIONS = [", "MISCONCEPTIONS = [[", "cannot be read: SyntaxError"),
    ],
)
def test_a_misconception_that_makes_no_sense_is_refused(
    was: str, becomes: str, said: str, tmp_path: Path
) -> None:
    mini = mini_assignment(tmp_path)
    write_source(mini)
    (mini.checks / "misconceptions").mkdir()
    assert was in LIBRARY
    mini.misconceptions_file("triple").write_text(LIBRARY.replace(was, becomes))
    with pytest.raises(UsageError, match=said):
        _record(mini)


def _record(mini: Assignment) -> None:
    with Grader(mini) as grader:
        _, faults = record_misconceptions(grader, record(grader))
    if faults:
        raise UsageError("\n".join(faults))


def test_a_misconception_that_cannot_be_applied_costs_no_other_its_name(tmp_path: Path) -> None:
    mini = mini_assignment(tmp_path)
    write_source(mini)
    (mini.checks / "misconceptions").mkdir()
    mini.misconceptions_file("triple").write_text(LIBRARY.replace('"3 * x": "2 * x"', '"x": "y"'))
    with Grader(mini) as grader:
        made, faults = record_misconceptions(grader, record(grader))
    assert [fault.partition(": the")[0] for fault in faults] == ["triple: misconception doubled"]
    assert "doubled" not in made["triple"].known
    assert "magnitude" in made["triple"].known


def test_misconceptions_that_reply_alike_are_told(tmp_path: Path) -> None:
    mini = mini_assignment(tmp_path)
    write_source(mini)
    (mini.checks / "misconceptions").mkdir()
    twice = LIBRARY.replace(
        "MISCONCEPTIONS = [",
        """MISCONCEPTIONS = [
    Misconception("twofold", "Twice is not thrice.", {"3 * x": "x + x"}),""",
    )
    mini.misconceptions_file("triple").write_text(twice)
    with Grader(mini) as grader:
        faults = record_misconceptions(grader, record(grader))[1]
    assert len(faults) == 1
    assert "triple: the misconceptions twofold and doubled reply alike" in faults[0]


@pytest.mark.parametrize("name", ["tripel.py", "tripel/adopted.py"])
def test_misconceptions_of_no_question_are_refused(tmp_path: Path, name: str) -> None:
    mini = mini_assignment(tmp_path)
    write_source(mini)
    path = mini.checks / "misconceptions" / name
    path.parent.mkdir(parents=True)
    path.write_text(LIBRARY)
    said = "holds misconceptions of tripel, and mini has no such question"
    with Grader(mini) as grader, pytest.raises(UsageError, match=said):
        record_misconceptions(grader, record(grader))


def test_a_question_may_have_none(mini: Assignment) -> None:
    assert misconceptions(mini, "double") == []


def test_a_grader_tells_of_mistakes_in_the_words_that_it_has_read_first(
    mini: Assignment,
) -> None:
    """They belong to the replies that it has read with them."""
    path = mini.misconceptions_file("triple")
    with Grader(mini) as fresh:
        before = checks(fresh, "2 * x")
        try:
            path.write_text("MISCONCEPTIONS = [")  # as a half-written file
            assert checks(fresh, "2 * x") == before
        finally:
            path.write_text(LIBRARY)
    assert before[0].misconception == "doubled"


@pytest.mark.parametrize(
    ("right", "wrong", "kind", "seen"),
    [
        ("self.dropout(x + self.pe[: x.shape[1]])", ADDED_IN_PLACE, "in_place", "changed"),
        ("x + self.pe[", "x.detach() + self.pe[", "cut_gradient", "cut_gradient"),
        ("x + self.pe[", "x.float() + self.pe[", "other_kind", "other_kind"),
    ],
)
def test_a_kind_that_a_check_has_seen_by_itself_is_told_in_its_words(
    grader_of: GraderOf, right: str, wrong: str, kind: str, seen: str
) -> None:
    """These say what to look for, where the kind only says what the replies resemble."""
    grader = grader_of("a4_text_classification")
    source = grader.dependencies.source("positional_encoding")
    question = grader.assignment.question("positional_encoding")
    checks = trial(grader, question, source.replace(right, wrong)).checks
    told = {check.diagnosis for check in checks if not check.passed} - {None}
    assert told == {Diagnosis("kind", kind, OBSERVED[seen])}
