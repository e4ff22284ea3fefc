"""A class whose members work on their own, and some who copy and disguise it.

Every student takes an answer to each question of a1 from the sample students and the solution, and
writes it in ways of their own: how a root, a softmax, a transposition or a size is written, what
things are called, what is explained. Who copies takes all answers of another student.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random

import nbformat
from conftest import A1, ROOT, build, read_sample, samples
from sample_class import Sample

from autograder.course.assignments import Course
from autograder.results.history import History
from autograder.results.model import QuestionResult, SubmissionResult
from autograder.results.stored import write_result

Answers = dict[str, str]
"""Sources of cells by slug; those of added cells by another name."""

HABITS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        r"math\.sqrt\((\w+(?:\.\w+)?(?:\[-?\d\])?)\)",
        (r"math.sqrt(\1)", r"\1 ** 0.5", r"np.sqrt(\1)"),
    ),
    (r"torch\.softmax\((\w+), dim=-1\)", (r"\1.softmax(-1)", r"F.softmax(\1, dim=2)", r"\g<0>")),
    (r"\.transpose\(-2, -1\)", (".mT", ".transpose(1, 2)", ".permute(0, 2, 1)", r"\g<0>")),
    (r"\.shape\[(-?\d)\]", (r".size(\1)", r".shape[\1]", r".size(dim=\1)", r".size()[\1]")),
    (r"super\(\)\.__init__\(\)", ("super().__init__()", r"nn.Module.__init__(self)")),
    (r"-math\.inf", ('float("-inf")', "-torch.inf", "-1e9", "-np.inf")),
    (r"torch\.arange\((\w+)\)", (r"torch.arange(0, \1)", r"torch.arange(\1).float()", r"\g<0>")),
    (r"\bdim=-1\b", ("dim=2", "-1", "axis=-1", r"\g<0>")),
    (r"\btorch\.cat\(", ("torch.cat(", "torch.concat(", "torch.concatenate(")),
    (r"return (\w+) @ (\w+)$", (r"return torch.matmul(\1, \2)", r"return \1.bmm(\2)", r"\g<0>")),
    (
        r"^( +)(\w+) = (.+) / (.+)$",
        (r"\g<0>", r"\1\2 = \3\n\1\2 = \2 / \4", r"\1\2 = (\3).div(\4)"),
    ),
    (r"^( +)return (.{20,})$", (r"\g<0>", r"\1result = \2\n\1return result")),
    (r"^( +)(self\.\w+ = nn\.Linear\(\w+, \w+)\)$", (r"\g<0>", r"\1\2, bias=True)")),
)
WORDS = ("my", "the", "new", "tmp", "cur", "all", "raw", "out", "att", "emb", "vec", "mat")


@cache
def pool() -> Mapping[str, Sequence[str]]:
    """The known answers to each question, in the order of the assignment."""
    known: dict[str, list[str]] = {}
    for cell in Course(ROOT).assignment(A1).solved.cells:
        settings = cell.metadata.get("nbgrader", {})
        if settings.get("solution") and cell.cell_type == "code":
            known[settings.grade_id] = [cell.source]
    for path in [*samples(A1, "correct"), *samples(A1, "wrong")]:
        for slug, source in read_sample(path).answers.items():
            if source not in known[slug]:
                known[slug].append(source)
    return known


def class_of(size: int, seed: int = 0) -> dict[str, Answers]:
    """`size` students who work on their own, called demo-000 and so on."""
    return {f"demo-{n:03}": member(Random(f"{seed}.{n}")) for n in range(size)}


def member(chance: Random) -> Answers:
    """The answers of one student."""
    ways = [(pattern, chance.choice(written)) for pattern, written in HABITS]
    return {slug: own_way(chance.choice(known), ways, chance) for slug, known in pool().items()}


def own_way(source: str, ways: Sequence[tuple[str, str]], chance: Random) -> str:
    """An answer as somebody with these habits writes it."""
    for pattern, written in ways:
        source = re.sub(pattern, written, source, flags=re.MULTILINE)
    return renamed(recommented(source, chance), chance)


def own_names(source: str) -> list[str]:
    """What a student may call otherwise: what the code assigns, not its arguments."""
    found = re.findall(r"^ +(?:self\.)?(\w+)(?:, \w+)* = ", source, re.MULTILINE)
    return sorted({name for name in found if name not in ("output_dim", "pe", "_")})


def renamed(source: str, chance: Random) -> str:
    for name in own_names(source):
        other = f"{chance.choice(WORDS)}_{name}_{chance.randrange(9)}"
        source = re.sub(rf"(?<![\w\"'])(?<!nn\.){name}\b(?!\()(?! *=[^ =])", other, source)
    return source


def recommented(source: str, chance: Random) -> str:
    """Other comments than before."""
    lines = [re.sub(r"  +# .*| *### (BEGIN|END) SOLUTION", "", line) for line in source.split("\n")]
    for _ in range(3):
        place = chance.randrange(len(lines))
        indent = re.match(" *", lines[place])[0]  # type: ignore[index]
        lines.insert(place, f"{indent}# {' '.join(chance.choices(WORDS, k=5))}")
    return "\n".join(lines)


def every(change: Callable[[str, Random], str]) -> Callable[[Answers, Random], Answers]:
    return lambda answers, chance: {slug: change(text, chance) for slug, text in answers.items()}


def reordered(source: str, chance: Random) -> str:
    """Neighbouring lines that assign to themselves alone, the other way round."""
    lines = source.split("\n")
    for place in range(len(lines) - 1, 0, -1):
        pair = lines[place - 1 : place + 1]
        if all(re.match(r" +self\.\w+ = nn\.", line) for line in pair):
            lines[place - 1 : place + 1] = pair[::-1]
    return "\n".join(lines)


def split(source: str, chance: Random) -> str:
    """What is returned gets a name first, and so does what stands beside an operator."""
    source = re.sub(r"^( +)return (.+[^,({\[])$", r"\1res = \2\n\1return res", source, flags=re.M)
    return re.sub(
        r"^( +)(\w+) = (.+) ([/*@]) ([^/*@]+)$", r"\1p = \3\n\1\2 = p \4 \5", source, flags=re.M
    )


def written_anew(source: str, chance: Random) -> str:
    """Without comments, in the layout that a formatter gives it."""
    try:
        return ast.unparse(ast.parse(source))
    except SyntaxError:
        return source


def helpers_moved(answers: Answers, chance: Random) -> Answers:
    """All classes in one cell of their own at the end, the last first; the answers are calls."""
    moved = "\n\n\n".join(reversed([text for slug, text in answers.items() if "class " in text]))
    kept = {slug: text for slug, text in answers.items() if "class " not in text}
    return {**kept, "added": moved}


def all_at_once(answers: Answers, chance: Random) -> Answers:
    changed = every(renamed)(every(split)(answers, chance), chance)
    return helpers_moved(every(recommented)(every(reordered)(changed, chance), chance), chance)


DISGUISES: Mapping[str, Callable[[Answers, Random], Answers]] = {
    "variables renamed": every(renamed),
    "comments changed": every(recommented),
    "lines reordered": every(reordered),
    "expressions split": every(split),
    "written anew": every(written_anew),
    "helpers moved": helpers_moved,
    "all of it": all_at_once,
}


def leave_graded(root: Path, student: str, answers: Answers, *questions: QuestionResult) -> Path:
    """What `nbgrader autograde` leaves of a student's answers to a1, in a course at `root`."""
    added = {"attention": [text for slug, text in answers.items() if slug not in pool()]}
    notebook = build(Sample(student, {s: t for s, t in answers.items() if s in pool()}, added), A1)
    folder = root / "autograded" / student / A1
    folder.mkdir(parents=True)
    (folder / f"{A1}.ipynb").write_text(nbformat.writes(notebook), encoding="utf-8")
    scores = [sum(one.score for one in questions), sum(one.max_score for one in questions)]
    result = SubmissionResult(
        *(A1, f"{student}/{A1}", "graded", *scores, "full", 1.0, [], list(questions))
    )
    write_result(folder, result)
    History(root, A1).add(student, student, result)
    return folder
