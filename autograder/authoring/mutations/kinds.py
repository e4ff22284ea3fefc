"""The kinds of mutants: what each changes, what is said of it, and the class of its price."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograder.authoring.mutations import layers, syntax, tensors
from autograder.authoring.mutations.places import Place
from autograder.authoring.mutations.syntax import Other


@dataclass(frozen=True)
class Kind:
    """A kind of small change.

    Attributes:
        changes: what may stand in a place instead.
        sentence: for a student whose answer is one such change away from a right one.
        price: the class of mistake (`checking.misconceptions.PRICES`); empty where the kind alone
            does not say.
    """

    changes: Callable[[Place], Other]
    sentence: str
    price: str = ""


KINDS = {
    "operator": Kind(
        syntax.operator,
        "Your numbers are what another operator or comparison gives than the one asked for.",
    ),
    "operands": Kind(
        syntax.operands, "Your numbers are those without one of the terms or factors."
    ),
    "constant": Kind(
        syntax.constant, "One number in your code is another than the question says, perhaps by 1."
    ),
    "condition": Kind(
        syntax.condition, "A condition of yours holds where it should not, and the other way round."
    ),
    "missing_call": Kind(syntax.missing_call, "One step of the computation is left out."),
    "swapped_arguments": Kind(
        syntax.swapped_arguments, "Two things are handed over in each other's place."
    ),
    "missing_keyword": Kind(
        syntax.missing_keyword, "One call goes without a setting that the question asks for."
    ),
    "missing_statement": Kind(syntax.missing_statement, "One step is left out."),
    "slice_ends": Kind(
        syntax.slice_ends, "One stretch of a sequence begins or ends one place off.", "mathematics"
    ),
    "cut_gradient": Kind(
        tensors.cut_gradient,
        "The numbers are right, but no gradient passes through all of the computation, so that "
        "something never learns.",
        "learning",
    ),
    "by_mode": Kind(
        tensors.by_mode, "One step happens in training alone, or in evaluation alone.", "edge"
    ),
    "other_variable": Kind(
        tensors.other_variable, "One tensor or layer is used where another of its shape belongs."
    ),
    "fixed_size": Kind(
        tensors.fixed_size,
        "A size is fixed at the number that the notebook's example has.",
        "edge",
    ),
    "fixed_layer": Kind(
        tensors.fixed_layer,
        "A layer is made for the sizes of the notebook's example alone.",
    ),
    "other_end": Kind(tensors.other_end, "One step runs along another axis than it should."),
    "squeezed": Kind(tensors.squeezed, "An axis gets lost where its size is 1.", "edge"),
    "in_place": Kind(tensors.in_place, "What is handed in is overwritten.", "surroundings"),
    "doubled_call": Kind(tensors.doubled_call, "One step is made twice."),
    "dropout_elsewhere": Kind(
        layers.dropout_elsewhere, "Dropout acts in another place than the question says."
    ),
    "no_bias": Kind(layers.no_bias, "A layer has no bias."),
    "shared": Kind(layers.shared, "One layer does the work of several, which should differ."),
    "clamped": Kind(tensors.clamped, "Large values are cut off.", "edge"),
    "inverted_mask": Kind(
        tensors.inverted_mask, "A mask hides what it should show.", "mathematics"
    ),
    "no_maximum": Kind(
        tensors.no_maximum, "Powers of large numbers do not fit into a float.", "edge"
    ),
    "kept": Kind(tensors.kept, "A second call gives what belongs to the first."),
    "other_kind": Kind(
        tensors.other_kind, "The result is in single precision, whatever came in.", "surroundings"
    ),
}
