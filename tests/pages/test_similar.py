"""Similar submissions: what is found among many, what is not, and that nothing is too much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest
from conftest import A1, ROOT
from similar_class import DISGUISES, Answers, class_of, own_way, pool

from autograder.course.assignments import Course
from autograder.pages.similar import pairs
from autograder.pages.similar.marking import MAX_LINES, MAX_WIDTH, marked_lines
from autograder.pages.similar.pairs import Pair, Work, ranked
from autograder.pages.similar.winnowing import MAX_CODE, names_told, pieces

GIVEN = [
    cell.source
    for notebook in (Course(ROOT).assignment(A1).release, Course(ROOT).assignment(A1).solved)
    for cell in notebook.cells
    if cell.cell_type == "code"
]
TOLD = names_told(cell for cell in GIVEN)
COMMON = pieces(GIVEN, TOLD).hashes


def work(answers: Answers, **replies: int) -> Work:
    return Work(pieces(list(answers.values()), TOLD), replies)


def listed(works: Mapping[str, Work]) -> list[Pair]:
    return ranked(works, COMMON, most=1_000).pairs


def found_among(students: Mapping[str, Answers]) -> list[Pair]:
    return listed({name: work(answers) for name, answers in students.items()})


@pytest.mark.parametrize("seed", range(3))
def test_who_copied_is_above_all_others_whatever_the_disguise(seed: int) -> None:
    students = class_of(200, seed)
    copied = {f"copy-{n}": f"demo-{17 * n:03}" for n in range(len(DISGUISES))}
    for (name, source), disguise in zip(copied.items(), DISGUISES.values(), strict=True):
        students[name] = disguise(students[source], Random(seed))
        assert students[name] != students[source]
    found = found_among(students)
    assert {pair.students for pair in found[: len(copied)]} == set(copied.items())
    assert all(pair.share > 0.5 for pair in found[: len(copied)])


@pytest.mark.parametrize("size", [12, 40, 200])
def test_those_who_work_on_their_own_are_seldom_listed(size: int) -> None:
    assert len(found_among(class_of(size, seed=7))) <= size // 20


def test_right_short_answers_that_everybody_writes_alike_are_not_listed() -> None:
    plain = {slug: known[0] for slug, known in pool().items()}
    other = "def attention(q, k, v):\n    att = F.softmax(q @ k.mT / k.shape[2] ** 0.5, 2)\n"
    students = class_of(60)
    for n in range(60, 200):
        answers = plain | {"attention": f"{other}    return att @ v, att"}
        chance = Random(n)
        students[f"demo-{n:03}"] = {
            slug: own_way(text, [], chance) for slug, text in answers.items()
        }
    named = {name for pair in found_among(students) for name in pair.students}
    assert not {f"demo-{n:03}" for n in range(60, 200)} & named


def test_of_a_few_submissions_nothing_is_rare() -> None:
    students = class_of(pairs.SMALLEST_CLASS - 2)
    students["copy"] = students["demo-000"]
    assert found_among(students) == []
    students |= class_of(pairs.SMALLEST_CLASS)
    assert found_among(students)[0].students == ("copy", "demo-000")


def test_the_same_wrong_reply_counts_when_few_gave_it() -> None:
    students = class_of(40, seed=3)
    works = {name: work(answers) for name, answers in students.items()}
    for copy, source in (("copy-a", "demo-001"), ("copy-b", "demo-002")):
        kept = dict(list(students[source].items())[:6])
        works[copy] = work(kept | dict(list(students["demo-009"].items())[6:]))
    before = {pair.students: pair.share for pair in listed(works)}
    for name in ("copy-a", "demo-001"):
        works[name] = replace(works[name], replies={"attention": 1})
    after = {pair.students: pair for pair in listed(works)}
    assert after["copy-a", "demo-001"].share > before["copy-a", "demo-001"]
    assert after["copy-a", "demo-001"].questions == ["attention"]
    everybody = {name: replace(one, replies={"attention": 1}) for name, one in works.items()}
    told = {pair.students: pair for pair in listed(everybody)}
    assert told["copy-a", "demo-001"].share == pytest.approx(before["copy-a", "demo-001"])
    assert told["copy-a", "demo-001"].questions == []


def test_equal_replies_alone_list_nobody() -> None:
    students = class_of(40, seed=3)
    works = {name: work(answers) for name, answers in students.items()}
    for name in ("demo-001", "demo-002"):
        works[name] = replace(works[name], replies={"attention": 1, "masked_attention": 2})
    assert ("demo-001", "demo-002") not in [pair.students for pair in listed(works)]


CODE = "class A(nn.Module):\n    def f(self, a):\n        total = a[:, None] * self.w + a.sum(-1)\n"


@pytest.mark.parametrize(
    "other",
    [
        CODE.replace("total", "x").replace("self.w", "self.weights").replace("a", "a"),
        "# changed\n\n" + CODE.replace("    ", "\t").replace(" * ", "*"),
        CODE.replace("def f", '"""Said."""\n    def f'),
        CODE.replace("a[:, None] * ", "a[:, None] * \\\n "),
    ],
    ids=["names", "layout", "docstring", "lines"],
)
def test_what_means_the_same_is_the_same_pieces(other: str) -> None:
    assert set(pieces([other], TOLD).hashes) == set(pieces([CODE], TOLD).hashes)


def test_what_means_something_else_is_another_piece() -> None:
    for one, other in [
        ("x = y * y + z", "x = y * z + y"),
        ("x = torch.softmax(y, dim=1)", "x = torch.softmax(y, dim=2)"),
        ("x = y.transpose(1, 2)", "x = y.permute(1, 2)"),
        ("x = f(y, dim=1, keepdim=True)", "x = f(y, axis=1, keepdim=True)"),
    ]:
        assert set(pieces([one], TOLD).hashes) != set(pieces([other], TOLD).hashes)


def test_two_texts_that_share_a_run_of_tokens_share_a_piece() -> None:
    chance = Random(0)
    signs = [f"{n}" for n in range(200)]
    for _ in range(50):
        shared = chance.choices(signs, k=11)
        texts = [
            [*chance.choices(signs, k=chance.randrange(20)), *shared, *chance.choices(signs, k=9)]
            for _ in range(2)
        ]
        one, other = (set(pieces([" ".join(text)], TOLD).hashes.tolist()) for text in texts)
        assert one & other


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "(" * n,
        lambda n: "[" * (n // 2) + "]" * (n // 2),
        lambda n: "x = y + 1\n" * (n // 10),
        lambda n: '"""' * (n // 3),
        lambda n: "'" * n,
        lambda n: "a" * n,
        lambda n: "\\\n" * (n // 2),
        lambda n: "f'{" * (n // 3),
        lambda n: "(a  " * (n // 4),
        lambda n: "\ud800\x00" * (n // 2),
        lambda n: "def f(:\n  ]]" * (n // 12),
        lambda n: "if x:\n" + "".join(" " * i + "if x:\n" for i in range(int((2 * n) ** 0.5))),
    ],
)
def test_no_code_is_too_odd_too_deep_or_too_long(make) -> None:  # type: ignore[no-untyped-def]
    found = pieces([make(40_000)], TOLD)
    assert len(found.hashes) <= 40_000
    assert not found.cut
    huge = pieces([make(4_000_000)], TOLD)
    assert huge.cut
    assert len(huge.hashes) <= MAX_CODE


def test_of_a_line_or_a_cell_without_an_end_a_part_is_shown() -> None:
    text = "\n".join(["x" * 10_000] * 10_000)
    lines = marked_lines(text, [(0, 5_000_000)])
    assert sum(bool(line.parts) for line in lines) == MAX_LINES
    assert lines[-1].left_out == 10_000 - MAX_LINES
    assert all(len(part) <= MAX_WIDTH + 1 for line in lines for part, _ in line.parts)


def test_only_lines_near_a_mark_are_shown_and_nothing_else_is_marked() -> None:
    lines = marked_lines("a\nb\nc = d + e\nf\ng\nh", [(8, 13), (4, 5)])
    assert [(line.parts, line.left_out) for line in lines] == [
        ((), 1),
        ([("b", False)], 0),
        ([("c", True), (" = ", False), ("d + e", True)], 0),
        ([("f", False)], 0),
        ((), 2),
    ]
    across = marked_lines("a = (b\n\n  + c)", [(4, 13)])
    assert [line.parts for line in across] == [
        [("a = ", False), ("(b", True)],
        [],
        [("  + c", True), (")", False)],
    ]
