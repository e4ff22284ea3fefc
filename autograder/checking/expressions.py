"""Sums and products of sizes, as the author of a check writes them."""

from __future__ import annotations

from autograder.checking.cases import Sizes


def evaluated(expression: str, sizes: Sizes) -> int:
    """The number that it amounts to."""
    if expression in sizes:
        return sizes[expression]
    return int(eval(expression, {"__builtins__": {}}, dict(sizes)))


def names_in(expressions: str) -> list[str]:
    """The names in some of them, with spaces between; one that is none is a name of its own."""
    found: list[str] = []
    for one in expressions.split():
        try:
            found += compile(one, "a size", "eval").co_names
        except SyntaxError:
            found.append(one)
    return found
