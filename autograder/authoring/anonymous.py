"""A student's code without anything that could tell whose it is.

Theory of operation. What stays is what everybody may write: the names and texts of the course's own
notebook, the names that Python and torch give, and numbers that are no number of a person. Comments
and docstrings go. Any other name in the code, of a module too, and any other text, gets a name that
says nothing, everywhere the same, so that the code does what it did; a letter in a subscript of
`einsum` stands for an axis and becomes another letter. Whether the code still replies as before,
who asks for it has to see.
"""

from __future__ import annotations

import ast
import builtins
import collections
import copy
import dataclasses
import functools
import itertools
import keyword
import math
import random
import re
import sys
import typing
from collections.abc import Iterable, Iterator
from functools import cache
from string import ascii_letters

import numpy as np
import torch
from nbformat import NotebookNode
from torch import nn

from autograder.course.cells import parsed

SHORT_NAME, SHORT_WORD, SHORT_NUMBER = 2, 1, 4  # letters and digits that tell nothing
LARGEST_NUMBER = 1e12  # of a person
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[^\W\d_]+|\d+")
_SUBSCRIPTS = re.compile(r"[A-Za-z.]+(,[A-Za-z.]+)*->[A-Za-z.]*")
_FIELDS = ("id", "attr", "name", "arg", "asname", "rest", "module")  # of a node: identifiers


class Vocabulary:
    """The names and words that everybody may write."""

    def __init__(self, notebooks: Iterable[NotebookNode], people: Iterable[str]) -> None:
        """The names in the code of `notebooks`, and their words that name nobody of `people`."""
        cells = [cell for notebook in notebooks for cell in notebook.cells]
        text = "\n".join(cell.source for cell in cells)
        code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
        names = {word for person in people for word in _words(person) if len(word) > SHORT_NAME}
        self._given = set(re.findall(r"[^\W\d]\w*", code))
        self._words = (_words(text) | _library()) - names
        self._numbers = set(re.findall(r"\d+", text))

    def has_name(self, name: str) -> bool:
        """Whether an identifier is one of the notebooks, or made of known words."""
        return name in self._given or self.has_words(name, SHORT_NAME)

    def has_words(self, text: str, short: int = SHORT_WORD) -> bool:
        """Whether every word of a text is known, or has no more than `short` letters."""
        return all(
            word in self._words or (self._is_number(word) if word.isdigit() else len(word) <= short)
            for word in _words(text)
        )

    def has_number(self, number: float) -> bool:
        """Whether a number is one of the notebooks, or could be anybody's."""
        size = abs(number)
        whole = size < LARGEST_NUMBER and size == int(size)
        return not whole or self._is_number(str(int(size)))

    def _is_number(self, digits: str) -> bool:
        return len(digits.rstrip("0")) <= SHORT_NUMBER or digits in self._numbers


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


@cache
def _library() -> set[str]:
    """The words of which the names of Python, of its library, of numpy and of torch are made."""
    kinds = (str, list, dict, set, tuple, int, float)
    modules = (builtins, collections, copy, dataclasses, functools, itertools, math, random, typing)
    of_torch = (torch, torch.Tensor, nn, nn.functional, nn.Module, nn.init, torch.linalg)
    names = [name for place in (*kinds, *modules, *of_torch, np, np.ndarray) for name in dir(place)]
    known = [*keyword.kwlist, *sys.stdlib_module_names]
    return _words(" ".join([*names, *known, "self np numpy autograd ipython"]))


def anonymous(source: str, vocabulary: Vocabulary) -> str:
    """The code of a cell, without whose it is; empty when it is no Python, or nested too deeply."""
    tree = parsed(source)
    names = [name for name in dict.fromkeys(_named(tree)) if not vocabulary.has_name(name)]
    new = {name: f"name{n}" for n, name in enumerate(names, 1)}
    try:
        tree = _Renamed(new, vocabulary).visit(tree)
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n" if tree.body else ""
    except RecursionError:
        return ""


def _named(tree: ast.AST) -> Iterator[str]:
    """Every identifier in the code; of a dotted one its parts."""
    for node in ast.walk(tree):
        for field in _FIELDS:
            if isinstance(found := getattr(node, field, None), str):
                yield from found.split(".")


class _Renamed(ast.NodeTransformer):
    """Puts names, texts and numbers that say nothing in the place of those of a person."""

    def __init__(self, names: dict[str, str], vocabulary: Vocabulary) -> None:
        self._names = names
        self._vocabulary = vocabulary
        self._texts: dict[str, str] = {}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in _FIELDS:
            if isinstance(found := getattr(node, field, None), str):
                parts = [self._names.get(part, part) for part in found.split(".")]
                setattr(node, field, ".".join(parts))
        if isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [self._names.get(name, name) for name in node.names]
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            self._without_texts(node, field)
        return node

    def _without_texts(self, node: ast.AST, field: str) -> None:
        """Takes docstrings, texts that stand alone, and magics out of a block."""
        block = getattr(node, field, None)
        if isinstance(block, list):
            kept = [one for one in block if not (_is_text(one) or _is_magic(one))]
            needed = block and field == "body" and not isinstance(node, ast.Module)
            setattr(node, field, kept or ([ast.Pass()] if needed else []))

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        value = node.value
        if isinstance(value, str) and not self._vocabulary.has_words(value):
            return ast.Constant(self._text(value))
        if isinstance(value, bytes):
            return ast.Constant(b"")
        if isinstance(value, bool) or not isinstance(value, int | float):
            return node
        if not self._vocabulary.has_number(value):
            return ast.Constant(type(value)(0))
        return node

    def _text(self, value: str) -> str:
        if value in self._names:
            return self._names[value]
        if _SUBSCRIPTS.fullmatch(value):
            axes = dict.fromkeys(one for one in value if one.isalpha())
            letters = dict(zip(axes, ascii_letters, strict=False))
            return "".join(letters.get(one, one) for one in value)
        return self._texts.setdefault(value, f"text{len(self._texts) + 1}")


def _is_text(statement: object) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _is_magic(statement: object) -> bool:
    return isinstance(statement, ast.Expr) and "get_ipython()" in ast.unparse(statement)
