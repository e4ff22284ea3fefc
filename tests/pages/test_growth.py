"""Everything that reads a student's text takes time that grows as the text does, not faster.

Each input is made at two sizes, the larger eight times as long. What is linear then takes eight
times as long, what is quadratic sixty-four times; what is capped takes no longer at all.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from spent import processor_seconds

from autograder.checking.error_hints import explained
from autograder.pages import pieces
from autograder.pages.feedback.exporter import prose
from autograder.pages.similar import winnowing
from autograder.pages.svg import Pictures
from autograder.results.formats.commands import without_commands
from autograder.results.plain import plain

LONGER = 8
MOST = 4 * LONGER
NOTHING = 0.004  # seconds: what takes less is not told from nothing
TIMES = 3  # of which the least counts

Make = Callable[[int], str]


def over_and_over(piece: str) -> Make:
    return lambda size: piece * (size // len(piece))


def svg(inside: Make) -> Make:
    start = '<svg xmlns="http://www.w3.org/2000/svg">'
    return lambda size: f"{start}{inside(size)}</svg>"


HTML: dict[str, Make] = {
    "attributes": lambda n: "<p " + " ".join(f"a{i}" for i in range(n // 6)) + ">",
    "attributes-behind-slashes": lambda n: "<p " + "/".join(f"a{i}" for i in range(n // 6)) + ">",
    "attributes-behind-quotes": lambda n: "<p " + "".join(f'a{i}=">"' for i in range(n // 8)) + ">",
    "attributes-of-many-tags": lambda n: f"<p {' '.join(f'a{i}' for i in range(99))}>" * (n // 400),
    "style-with-brackets": lambda n: f'<p style="color:{"[" * n}">',
    "style-with-functions": lambda n: f'<p style="color:{"rgb(" * (n // 4)}">',
    "spaces-in-a-tag": lambda n: "<p " + " " * n + "<" * 1100,
    "open-script": over_and_over("<script>"),
    "a-picture-of-blanks": lambda n: f'<img src="data:image/png;base64,{" " * n}!">',
    "a-link-of-dots": lambda n: f'<img src="a{"." * n}">',
    "depth": over_and_over("<div>"),
    "entities": over_and_over("&amp"),
    "formatting-in-rows": lambda n: "<table><tr>" + "<b>x</b>" * (n // 8) + "</tr></table>",
    "pictures-in-a-table": lambda n: "<table>" + "<img>x" * (n // 6) + "</table>",
    "formatting-in-a-table": lambda n: "<table>" + "<b>x</b>" * (n // 8) + "</table>",
}
SVG: dict[str, Make] = {
    "url-of-blanks": svg(lambda n: f'<path fill="url({" " * n}#"/>'),
    "url-of-blanks-and-quotes": svg(lambda n: f"""<path fill="url({" " * n}'{" " * n}#"/>"""),
    "urls": svg(lambda n: f'<path fill="{"url( " * (n // 5)}"/>'),
    "attributes": svg(lambda n: "<path " + " ".join(f'a{i}="1"' for i in range(n // 8)) + "/>"),
    "elements": svg(over_and_over("<g/>")),
    "depth": svg(lambda n: "<g>" * (n // 7) + "</g>" * (n // 7)),
    "uses": svg(lambda n: '<path id="a"/>' + '<use href="#a"/>' * (n // 16)),
    "a-chain-of-uses": svg(
        lambda n: "".join(f'<g id="a{i}"><use href="#a{i + 1}"/></g>' for i in range(n // 40))
    ),
}
MARKDOWN: dict[str, Make] = {
    piece: over_and_over(piece)
    for piece in (
        *("[", "![", "[](", "[a](<", "`", "`a`` ", "*a ", "*_", "<", "<a>\n", "> ", "- ", "- \n"),
        *("|a|\n|-|\n", "\\\\[", "\\begin{a}", "$", "$a ", "$$ ", "~~~a\n", "[a]: b\n", "&", "#"),
    )
} | {
    "a-fence-of-blanks": lambda n: "```" + " " * n + "`",
    "code-of-one-line": lambda n: "```python\n" + "a." * (n // 2) + "\n```",
    "code-of-blank-lines": lambda n: "```python\n" + "\n" * n + "\n```",
    "code-in-another-language": lambda n: "```perl\n" + "s/a/" * (n // 4) + "\n```",
    "levels-of-lists": lambda n: "".join(" " * 2 * i + "- a\n" for i in range(int(n**0.5))),
}
CODE: dict[str, Make] = {
    piece: over_and_over(piece)
    for piece in ("a.", "1.", "\n", " \n", "(", "'", '"""', "f'{", "\\", "%%", "%", "!", "?", "{")
}
TERMINAL: dict[str, Make] = {
    piece: over_and_over(piece)
    for piece in ("\x1b[1mx", "\x1b[", "\x1b]", "\x1b", "\x1b[0;0;0m", "\x1bP")
} | {
    "a-long-number": lambda n: "\x1b[" + "0" * n,
    "numbers-and-blanks": lambda n: "\x1b[" + "0" * (n // 2) + " " * (n // 2),
    "colours-before-a-long-text": lambda n: "\x1b[1mx\x1b[0m" * 1000 + "x" * n,
}
LATEX: dict[str, Make] = {
    piece: over_and_over(piece)
    for piece in ("$", "$ ", "$$", " ", "$a", "{", "\\frac{", "\\left(", "x_", "\\\\ ", "'")
}
SENTENCES: dict[str, Make] = {
    piece: over_and_over(piece) for piece in ("`", "`a", "`a\n", "\x1b[0")
}


COMMANDS: dict[str, Make] = {
    piece: over_and_over(piece) for piece in ("\n", " ", " \n", "\r", ":", "::", "#")
}
ERRORS: dict[str, Make] = {
    piece: over_and_over(piece)
    for piece in ("attribute '", "expected ", "must be ", "in-place ", "tensor ", "a")
}


def read(reader: Callable[[str], object], size: int, of: dict[str, Make]) -> list[object]:
    return [pytest.param(reader, size, make, id=name) for name, make in of.items()]


@pytest.mark.parametrize(
    ("reader", "size", "make"),
    [
        *read(pieces.html, 40_000, HTML),
        *read(lambda text: Pictures()(text), 5_000, SVG),
        *read(lambda text: pieces.markdown(text, {}, True, 50_000), 12_000, MARKDOWN),
        *read(lambda text: pieces.code(text, "ipython3"), 6_000, CODE),
        *read(lambda text: winnowing.pieces([text], winnowing.LANGUAGE), 12_000, CODE),
        *read(pieces.terminal, 50_000, TERMINAL),
        *read(lambda text: pieces.latex(text, 50_000), 20_000, LATEX),
        *read(prose, 20_000, SENTENCES),
        *read(plain, 50_000, TERMINAL),
        *read(without_commands, 5_000, COMMANDS),
        *read(explained, 20_000, ERRORS),
    ],
)
def test_time_grows_as_the_text_does(
    reader: Callable[[str], object], size: int, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "KEPT_CHARACTERS", 0)  # whatever is read is read anew
    shorter, longer = make(size), make(LONGER * size)
    least = min(processor_seconds(lambda: reader(shorter)) for _ in range(TIMES))
    most = MOST * max(least, NOTHING)
    assert any(processor_seconds(lambda: reader(longer)) < most for _ in range(TIMES))


def test_parts_within_parts_of_a_picture_are_not_drawn_a_billion_times() -> None:
    levels = "".join(
        f'<g id="a{n}">{f"""<use href="#a{n - 1}"/>""" * 10}</g>' for n in range(1, 10)
    )
    for many in (
        f'<g id="a0"><rect/></g>{levels}<use href="#a9"/>',
        '<g id="a"><use href="#a"/></g>',
        '<g id="a">' + "<rect/>" * 2000 + "</g>" + '<use href="#a"/>' * 2000,
        '<clipPath id="a"><path clip-path="url(#a)"/></clipPath><g clip-path="url(#a)"/>',
        '<pattern id="a"><path fill="url( \'#a\' )"/></pattern><path style="fill: url(#a)"/>',
    ):
        assert Pictures()(svg(lambda _, many=many: many)(0)) is None
    scattered = svg(lambda _: '<path id="a"/>' + '<use href="#a" x="1"/>' * 10_000)(0)
    assert (Pictures()(scattered) or "").count("<use") == 10_000
