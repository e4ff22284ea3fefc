"""No regular expression of the engine takes time that doubles with each letter of a name.

Where a text can be split in two ways again and again, the ways to try double each time. Twenty more
letters then take a million times as long, and a name of a file is enough to stop a class.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import PurePath

import pytest
from conftest import ROOT
from spent import processor_seconds

from autograder.intake.lms_names import CONVENTIONS, said_by_lms, said_plainly
from autograder.intake.own_folders import OwnFolders
from autograder.intake.unpacking import safe_parts

MOST = 0.1  # seconds of processor time, for a few dozen letters
LONGEST, STEP = 64, 4  # characters
WORDS = re.compile(r"[A-Za-z]+")


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Those at the top of modules, and those that are spelt out where they are used."""
    for path in sorted((ROOT / "autograder").rglob("*.py")):
        source = path.read_text()
        if "\nimport re\n" in source:
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            for attribute, value in vars(importlib.import_module(name)).items():
                if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                    yield f"{name}.{attribute}", value
            yield from ((f"{name}:{line}", found) for line, found in spelt_out(ast.parse(source)))
    for name, convention in CONVENTIONS.items():
        yield name, re.compile(convention.pattern)


def spelt_out(tree: ast.Module) -> Iterator[tuple[int, re.Pattern[str]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield node.lineno, re.compile(first.value)


def pieces(pattern: str) -> set[str]:
    """What repeats may be made of: words of the pattern, and one of each kind of character."""
    kinds = {*"aA1 _-.,:;/\\\"'`$()[]{}<>=&#~\n\t", "a ", "1 ", "a-", "1-", "a_", "1_", "a.", "1."}
    return {word for word in WORDS.findall(pattern) if len(word) < 12} | kinds


def expect_little_time(reader: Callable[[str], object], piece: str, last: str = "\x00") -> None:
    """Grows the text by a few letters at a time, so that what never ends is seen before."""
    for size in range(STEP, LONGEST + 1, STEP):
        text = piece * (size // len(piece)) + last
        taken = processor_seconds(partial(reader, text))
        assert taken < MOST, f"{taken:.1f} s on {text!r}"


PATTERNS = dict(patterns())


def test_the_patterns_of_all_rooms_are_looked_at() -> None:
    assert len(PATTERNS) > 60
    assert {name.split(".")[1] for name in PATTERNS if "." in name} > {"intake", "pages", "results"}


@pytest.mark.parametrize("name", PATTERNS)
def test_no_pattern_tries_ways_that_double_with_each_letter(name: str) -> None:
    pattern = PATTERNS[name]
    for piece in sorted(pieces(pattern.pattern)):
        expect_little_time(pattern.search, piece)
        expect_little_time(pattern.fullmatch, piece)


NAMES = [
    *("1", "a", "my", "an", "final", "v", "copy of ", "1-", "1_", "_", "-", " ", ".", "~1", " (1)"),
    *(
        "_1_assignsubmission_a",
        "_a_attempt_",
        "1-1 - ",
        "a_1_1_",
        "_LATE_1",
        "ps1",
        "_ps1",
        "ps1-1",
    ),
    *("\u0301\u0316", "\u0661", "\\", "/", "../", "e\u0301", "\u017f", "A:"),
]


@pytest.mark.parametrize("piece", NAMES)
@pytest.mark.parametrize("end", ["", "x_ps1", "\n", "-1", "_ps1-1"])
def test_a_file_of_any_name_is_soon_somebodys_or_nobodys(piece: str, end: str) -> None:
    def read(name: str) -> None:
        file = PurePath("ada") / f"{name}.ipynb"
        said_plainly(file, {"ps1"}, "ada")
        said_by_lms(file, "UTC")
        said_by_lms(PurePath(name) / "ps1.ipynb", "UTC")
        folders = OwnFolders([file], {"ps1"}, lambda name: said_by_lms(name, "UTC"), [], ["ada"])
        folders.other(file, "ada")
        safe_parts(name)

    expect_little_time(read, piece, end)
