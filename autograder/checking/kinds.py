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
    "fixed_size": "a size, or a number handed in, is fixed at what the notebook's example has",
    "fixed_layer": "one layer, or a table, is made for the sizes of the notebook's example alone",
    "other_end": "one step runs along another axis",
    "reshaped": "axes get a new shape where they should change places, which mixes the numbers up",
    "extra_softmax": "a softmax is taken where none belongs",
    "first_for_all": "what belongs to the first of a batch stands for all of it",
    "squeezed": "an axis gets lost where its size is 1",
    "in_place": "what is handed in is overwritten",
    "doubled_call": "one step is made twice",
    "dropout_elsewhere": "dropout acts in another place",
    "no_bias": "one layer has no bias",
    "shared": "one layer does the work of several, which should differ",
    "clamped": "large values are cut off",
    "inverted_mask": "a mask hides what it should show",
    "no_maximum": "the exponential of a large number becomes infinite",
    "kept": "a second call gives what belongs to the first",
    "activated": "an activation is applied where none belongs",
    "normed": "vectors are normed where they should stay as they are",
    "reversed_order": "what lies along an axis stands in the opposite order",
    "extra_residual": "an input is added where it does not belong",
    "other_kind": "the result is in single precision, whatever comes in",
}
"""How a right answer with one small change of a kind differs from a right one."""

OBSERVED = {
    "changed": (
        "Something writes into a tensor that it was given: `+=` and the like, a function whose "
        "name ends with `_`, a slice that is set."
    ),
    "marked": "`requires_grad` is set on an input; whoever calls decides about that.",
    "unmarked": "`requires_grad_(False)` changes the input itself; `detach` gives another tensor.",
    "emptied": "Entries are taken out of the list, or put into it. Make a new list.",
    "bypassed": (
        "What is handed in is called itself, as `module(x)`, which alone runs its hooks; no copy "
        "of it, and not its `forward`."
    ),
    "by_forward": "A `forward` is called by itself. `module(x)` runs the module's hooks, too.",
    "unhooked": "Hooks of others are taken away. Keep the handles of yours; remove those alone.",
    "replaced": "A function is exchanged for another one, which all later calls then meet.",
    "altered": (
        "A call writes into what the module holds, and what `__init__` has made, or adds to it."
    ),
    "mode": "`train()` or `eval()` is called; whoever calls decides about the mode.",
    "other_mode_left": (
        "A model may stay in the mode that the question sets, or go back to the one in which it "
        "came."
    ),
    "frozen": "`requires_grad` is set; whoever calls decides what is trained.",
    "gradients_left": (
        "`backward` leaves gradients at every parameter, and `zero_grad` takes those away that lay "
        "there; other ways to gradients do neither."
    ),
    "drew": "There is dropout, or other chance, that the question does not ask for.",
    "world": "A switch is not switched back. A `with` block does that at its end.",
    "forgets": (
        "Something is kept from one call to the next: at the module, in a global, in a default "
        "argument; or a function is replaced, and not put back."
    ),
    "needs_grad": (
        "Whether gradients are kept decides what is returned; it may decide nothing but whether "
        "there are gradients."
    ),
    "kept_result": "A result is kept, by a cache or a global, and handed out again.",
    "kept_pattern": "The pattern in which dropout dropped once is kept for later calls.",
    "same_start": (
        "Something is not drawn anew: a seed is set, numbers of your own are put in, or a module, "
        "or its layers, are made once and handed out again."
    ),
    "seeded": "Whoever calls decides about seeds: `manual_seed` holds for all code after it.",
    "other_mean": (
        "Dropout drops some numbers and makes the others larger, so that nothing changes on the "
        "mean of many calls."
    ),
    "other_device": (
        "A tensor that you make, or that comes from NumPy, has a device of its own. It should take "
        "that of the inputs; in a module it may be a buffer."
    ),
    "other_kind": (
        "Something is made in single precision, or turned into it: by `float()`, or as a tensor "
        "without the dtype of the inputs."
    ),
    "other_dtype": (
        "`dtype=` sets the kind of a tensor where it is made, and `float()` and `long()` change it."
    ),
    "forbidden": "The formula is to be written by yourself, with products and sums of tensors.",
    "unregistered": (
        "Layers lie in a plain list or dictionary, or others are registered than those that are "
        "used, or what learns is no parameter. PyTorch has lists for modules."
    ),
    "cut_gradient": (
        "Something leaves the graph of gradients, by `detach`, `.data`, `.item()`, `no_grad`, or "
        "as a new tensor made of another one's numbers; or it is not used at all."
    ),
    "part_of_the_gradient": (
        "The numbers are right, and something passes on gradients that it should not, or does not "
        "where it should: a part is cut off by `detach`, `.data` or `no_grad`, or numbers are "
        "exchanged by others that are equal."
    ),
    "not_finite": (
        "On the way something is divided by 0, or grows beyond all numbers. Look at powers, "
        "logarithms, divisions, and, where there is a mask, at rows in which it leaves nothing, or "
        "nothing but zeros."
    ),
    "fixed_size": (
        "At the sizes of the example it runs. Somewhere a size, or the length of a table, is fixed "
        "or kept from an earlier call, an axis is counted that moves, or a border is one off."
    ),
    "small_alone": (
        "Of all sizes it goes wrong only where one is 1. Look for an axis that gets lost there, as "
        "by `squeeze`, for a special case, and for a function that wants two at least."
    ),
    "long_alone": (
        "Of all sizes it goes wrong only for long sequences. Somewhere the length of a table or a "
        "mask is fixed, or a number is too small to count so far."
    ),
    "large_alone": (
        "Of all sizes it goes wrong only where one is large. Somewhere the size of a table or a "
        "mask is fixed, or a number is too small to count so far."
    ),
    "alike_alone": (
        "Of all sizes it goes wrong only where some agree, or one tensor is handed in twice. "
        "Something is told apart by what may be alike by chance: by a comparison of sizes, or of "
        "tensors by `is`."
    ),
    "zeros_alone": (
        "It goes wrong only where inputs, or rows of them, are zero. Zeros are numbers like any "
        "others: something takes them for nothing, leaves them out, or divides by them."
    ),
    "without_alone": (
        "It goes wrong only where what is optional is left out. Look at what happens, or is put in "
        "its place, where it is `None`."
    ),
    "mode_alone": (
        "It goes wrong in one mode alone, in training or in evaluation. But for dropout a mode "
        "changes nothing: look for `training` in your code, and for layers that a mode changes."
    ),
    "strided_alone": (
        "It goes wrong only where numbers do not lie in memory row by row, as after `transpose` "
        "or `permute`. Only indices count, and functions that go by them; not those that go by "
        "memory."
    ),
    "finite_mask": (
        "Where scores are vast, what the mask hides is seen after all. For certain it is hidden by "
        "minus infinity alone, before the softmax."
    ),
    "not_asked": "What may be left out is `None` then. Ask for that before you use it.",
    "returned_nothing": (
        "Nothing is given back: there is a way through it without `return`, the result is printed "
        "instead, or what is returned is that of a method such as `append`, which is nothing."
    ),
    "no_tensor": (
        "One tensor is asked for. `torch.stack` makes it of a list of tensors, and `torch.tensor` "
        "of numbers through which no gradient has to flow."
    ),
    "squeezed": "An axis of size 1 gets lost: by `squeeze`, or by an index on that axis.",
    "axes_exchanged": "The sizes are right and stand in another order: axes are exchanged.",
    "other_results": (
        "Look at each `return`: how many things stand behind it, and in which order. A list among "
        "them may hold too many, as those of an earlier call."
    ),
    "no_layers": (
        "Layers are made in `__init__`, and kept as attributes of the module. A tensor that learns "
        "is an `nn.Parameter` there."
    ),
    "no_bias": "A bias, or another vector that is learned, is missing.",
    "fewer_layers": "A layer is missing, or one does the work of several.",
    "more_layers": "There is a layer too many.",
    "extra_bias": "A layer has a bias that the question does not ask for: see `bias=False`.",
    "other_layer": (
        "A layer has a shape that none of the question's layers has, nor several of them "
        "together. Look at the sizes that it is made with."
    ),
}
"""What was seen to be wrong, whatever makes it so, and where to look."""

UNTELLING = {"", "self", "torch", "nn", "math", "super"}
"""Words that stand everywhere, and tell no place."""

COMMON = {
    "left_out": (
        {"missing_call", "missing_statement", "missing_keyword", "operands", "no_bias"},
        "something is left out",
    ),
    "other_thing": (
        {"other_variable", "swapped_arguments", "shared", "first_for_all"},
        "one thing stands where another belongs",
    ),
    "other_formula": (
        {
            *("operator", "operands", "constant", "condition", "doubled_call"),
            *("extra_softmax", "activated", "normed", "extra_residual"),
        },
        "one operator, number or term of a formula is another one",
    ),
    "other_place": (
        {
            *("other_end", "slice_ends", "constant", "swapped_arguments", "reshaped"),
            "reversed_order",
        },
        "one axis or place in a sequence is another one",
    ),
    "fixed": (
        {"fixed_size", "fixed_layer", "constant", "other_variable"},
        "one size is another one, or fixed",
    ),
    "mixed_up": (
        {"missing_call", "swapped_arguments", "reshaped"},
        "axes do not change places where they should, or a reshape mixes the numbers up",
    ),
    "learning": ({"cut_gradient", "in_place", "kept"}, "something cannot learn as it should"),
}
"""What kinds have in common, for an answer that shows one of several, the closest first."""
SEEN_AS = {
    "in_place": ("changed",),
    "other_kind": ("other_kind",),
    "cut_gradient": ("cut_gradient", "part_of_the_gradient"),
    "squeezed": ("squeezed",),
    "fixed_size": ("fixed_size",),
    "no_bias": ("no_bias",),
    "kept": ("forgets", "kept_result"),
}
"""What a check sees by itself where an answer shows a kind, and of which it can say more."""


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
