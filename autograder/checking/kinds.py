"""Kinds of small mistakes, and what is said of an answer that shows one."""

from __future__ import annotations

from collections.abc import Collection

CLAUSES = {
    "operator": "one operator or comparison is another one",
    "operands": "one of the terms or factors is left out",
    "constant": "one number in the code is another one",
    "condition": "one condition holds where it should not",
    "missing_call": "one step of the computation is left out",
    "swapped_arguments": "two things are handed over in each other's place",
    "missing_keyword": "one setting of a call is left out",
    "missing_statement": "one step is left out",
    "slice_ends": "one stretch of a sequence begins or ends one place off",
    "cut_gradient": "no gradient passes through one of the steps",
    "by_mode": "one step happens in training alone, or in evaluation alone",
    "other_variable": "one tensor or layer is used in the place of another",
    "fixed_size": "one size is fixed at the number that the notebook's example has",
    "fixed_layer": "one layer is made for the sizes of the notebook's example alone",
    "other_end": "one step runs along another axis",
    "squeezed": "an axis gets lost where its size is 1",
    "in_place": "what is handed in is overwritten",
    "doubled_call": "one step is made twice",
    "dropout_elsewhere": "dropout acts in another place",
    "no_bias": "one layer has no bias",
    "shared": "one layer does the work of several, which should differ",
    "clamped": "large values are cut off",
    "inverted_mask": "a mask hides what it should show",
    "no_maximum": "powers of large numbers become infinite",
    "kept": "a second call gives what belongs to the first",
    "other_kind": "the result is in single precision, whatever comes in",
}
"""How a right answer with one small change of a kind differs from a right one."""

UNTELLING = {"", "self", "torch", "nn", "math", "super"}
"""Words that stand everywhere, and tell no place."""

COMMON = {
    "left_out": (
        {"missing_call", "missing_statement", "missing_keyword", "operands", "no_bias"},
        "something is left out",
    ),
    "other_thing": (
        {"other_variable", "swapped_arguments", "shared"},
        "one thing stands where another belongs",
    ),
    "other_formula": (
        {"operator", "operands", "constant", "condition", "doubled_call"},
        "one operator, number or term of a formula is another one",
    ),
    "other_place": (
        {"other_end", "slice_ends", "constant", "swapped_arguments"},
        "one axis or place in a sequence is another one",
    ),
    "fixed": (
        {"fixed_size", "fixed_layer", "constant", "other_variable"},
        "one size is another one, or fixed",
    ),
    "learning": ({"cut_gradient", "in_place", "kept"}, "something cannot learn as it should"),
}
"""What kinds have in common, for an answer that shows one of several, the closest first."""


def told(kinds: Collection[str], words: Collection[str]) -> tuple[str, str] | None:
    """Name and sentence for an answer that replies as a right one with such a change does.

    Args:
        kinds: of all changes that make a right answer reply so.
        words: of the question's own, where the changes are, one for each; empty where none is.

    Returns:
        None where the kinds have nothing in common.
    """
    if len(set(kinds)) == 1:
        (name,) = set(kinds)
        clause = CLAUSES[name]
    else:
        shared = [(n, said) for n, (members, said) in COMMON.items() if set(kinds) <= members]
        if not shared:
            return None
        name, clause = shared[0]
    telling = set(words) - UNTELLING
    place = f" Look at `{telling.pop()}`." if len(telling) == len(set(words)) == 1 else ""
    return name, f"Your answer gives what a right one gives when {clause}.{place}"
