"""The documentation builds without a warning, and knows every message."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

from autograder import errors

PAGE = ROOT / "docs" / "troubleshooting.md"
ERRORS = {
    *("UsageError", "UnreadableSubmission"),
    *("Ungraded", "Unready", "BrokenCheck", "ZygoteGone"),
}
ENTRY = re.compile(r"\*\*`([^`]+)`\*\*")
HOLE = "\u2026"  # stands for what differs
MODULES = list((ROOT / "autograder").rglob("*.py"))


def template(message: ast.expr) -> str | None:
    """The first line of a message, with a hole for what differs; None when nothing is literal."""
    if isinstance(message, ast.Constant) and isinstance(message.value, str):
        parts = [message.value]
    elif isinstance(message, ast.JoinedStr):
        values = message.values
        parts = [str(v.value) if isinstance(v, ast.Constant) else HOLE for v in values]
    else:
        return None
    text = "".join(parts).partition("\n")[0].replace("`", "")
    return text if text.strip(HOLE + " :") else None


def messages() -> Iterator[tuple[str, str]]:
    """Each message of the code, and where it stands."""
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", None))
            reports = name == "Outcome" and len(node.args) == 2  # a kind, and why
            if (reports or name in ERRORS) and (found := template(node.args[-1])):
                yield found, f"{path.relative_to(ROOT)}:{node.lineno}"


def pattern(text: str) -> str:
    return ".+?".join(map(re.escape, text.split(HOLE)))


MESSAGES = list(messages())
ENTRIES = [entry.replace("\n  ", " ") for entry in ENTRY.findall(PAGE.read_text())]


def test_these_are_all_errors_that_a_user_can_see() -> None:
    roots = (errors.UsageError, errors.Ungraded)
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert {kind.__name__ for kind in kinds if issubclass(kind, roots)} == ERRORS


def test_every_message_of_the_code_is_on_the_troubleshooting_page() -> None:
    assert len(MESSAGES) > 50
    missing = [
        f"{place}: add to docs/troubleshooting.md:\n\n- **`{text}`**\n\n  What to do about it.\n"
        for text, place in MESSAGES
        if not any(re.fullmatch(pattern(text), entry) for entry in ENTRIES)
    ]
    assert not missing, "\n" + "\n".join(missing)


def test_the_troubleshooting_page_has_no_message_that_is_never_given() -> None:
    stale = [
        entry
        for entry in ENTRIES
        if not any(re.fullmatch(pattern(text), entry) for text, _ in MESSAGES)
    ]
    assert not stale


def test_every_attack_has_a_number_of_its_own() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    numbers = re.findall(r"^\| (\d+) \|", page, re.MULTILINE)
    assert len(numbers) > 80
    assert [n for n, count in Counter(numbers).items() if count > 1] == []


def test_the_page_about_the_code_names_every_room_and_nothing_that_is_not_there() -> None:
    page = (ROOT / "docs" / "code.md").read_text()
    named = set(re.findall(r"`((?:autograder|tests)/[\w./-]*)`", page))
    assert not [name for name in named if not (ROOT / name).exists()]
    rooms = {path.parent.name for path in (ROOT / "autograder").glob("*/__init__.py")}
    assert {f"autograder/{room}/" for room in rooms} <= named


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_what_the_first_pages_name_is_there(page: str) -> None:
    text = (ROOT / page).read_text()
    linked = re.findall(r"\]\(([^):#]+)\)", text)
    folders = re.findall(r"`((?:autograder|docs|tests|tools|bench|checks)/[\w./-]*)`", text)
    assert linked
    assert not [name for name in (*linked, *folders) if not (ROOT / name).exists()]


def test_the_readme_shows_small_pictures_and_says_what_is_on_them() -> None:
    shown = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", (ROOT / "README.md").read_text())
    assert {Path(name).name for _, name in shown} == {"feedback.png", "class_report.png"}
    for description, name in shown:
        data = (ROOT / name).read_bytes()
        assert data.startswith(b"\x89PNG")
        assert 10_000 < len(data) < 150_000
        assert len(description.split()) > 10


def test_the_site_builds_without_a_warning_and_needs_no_network(site: Path) -> None:
    pages = [path.read_text() for path in site.glob("*.html")]
    assert len(pages) > 8
    for page in pages:
        fetched = re.findall(r'<(?:script|img|link)[^>]*(?:src|href)="(https?://[^"]+)"', page)
        assert not fetched


def test_the_examples_that_pages_link_to_are_in_the_site(site: Path) -> None:
    shipped = {path.name for path in (site / "_downloads").rglob("*") if path.is_file()}
    assert shipped >= {"student-repository.yml", "grade-class.yml"}


def test_every_page_is_reached_from_the_first_one(site: Path) -> None:
    first = (site / "index.html").read_text()
    for path in (ROOT / "docs").glob("*.md"):
        assert f'href="{path.stem}.html"' in first or path.stem == "index"
