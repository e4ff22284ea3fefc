"""The kinds of mutants: what each changes, and the class of its price.

What is said of each stands in `autograder.checking.kinds`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograder.grading.mutations import extra, layers, syntax, tensors
from autograder.grading.mutations.places import Place
from autograder.grading.mutations.syntax import Other


@dataclass(frozen=True)
class Kind:
    """A kind of small change.

    Attributes:
        changes: what may stand in a place instead.
        price: the class of mistake (`checking.misconceptions.PRICES`); empty where the kind alone
            does not say: what is right in one mode, at one size or within bounds is wrong nearly
            everywhere or nearly nowhere, as the checks ask there or elsewhere.
    """

    changes: Callable[[Place], Other]
    price: str = ""


KINDS = {
    "operator": Kind(syntax.operator),
    "operands": Kind(syntax.operands),
    "constant": Kind(syntax.constant),
    "condition": Kind(syntax.condition),
    "missing_call": Kind(syntax.missing_call),
    "swapped_arguments": Kind(syntax.swapped_arguments),
    "missing_keyword": Kind(syntax.missing_keyword),
    "missing_statement": Kind(syntax.missing_statement),
    "slice_ends": Kind(syntax.slice_ends, "mathematics"),
    "cut_gradient": Kind(tensors.cut_gradient, "learning"),
    "by_mode": Kind(tensors.by_mode),
    "other_variable": Kind(tensors.other_variable),
    "fixed_size": Kind(tensors.fixed_size),
    "fixed_layer": Kind(tensors.fixed_layer),
    "other_end": Kind(tensors.other_end),
    "reshaped": Kind(tensors.reshaped, "mathematics"),
    "extra_softmax": Kind(extra.extra_softmax, "mathematics"),
    "first_for_all": Kind(tensors.first_for_all, "mathematics"),
    "squeezed": Kind(tensors.squeezed, "edge"),
    "in_place": Kind(tensors.in_place, "surroundings"),
    "doubled_call": Kind(extra.doubled_call),
    "dropout_elsewhere": Kind(layers.dropout_elsewhere),
    "no_bias": Kind(layers.no_bias),
    "shared": Kind(layers.shared),
    "clamped": Kind(extra.clamped),
    "inverted_mask": Kind(tensors.inverted_mask, "mathematics"),
    "no_maximum": Kind(tensors.no_maximum, "edge"),
    "kept": Kind(tensors.kept),
    "activated": Kind(extra.activated),
    "normed": Kind(extra.normed),
    "reversed_order": Kind(extra.reversed_order),
    "extra_residual": Kind(extra.extra_residual),
    "other_kind": Kind(tensors.other_kind, "surroundings"),
}
