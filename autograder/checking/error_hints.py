"""What common errors of Python and torch mean, for students who have not met them before."""

from __future__ import annotations

import re
import sys

PYTHON = "Python {}.{}".format(*sys.version_info)
ERRORS = {
    "no_block": (
        r"IndentationError|TabError",
        "The lines of a block begin in one column, four spaces to the right of the line with the "
        "colon that opens it.",
    ),
    "quotes_in_quotes": (
        r"SyntaxError: .*f-string",
        f"The grader runs {PYTHON}, which does not read this as code. Where a newer Python does, "
        "as with a quote inside the same quotes of an f-string, write it in the older way.",
    ),
    "too_nested": (
        r"RecursionError: .*during (compilation|ast construction)",
        "An expression is longer, or nested deeper, than Python reads. Work it out step by step.",
    ),
    "invisible_character": (
        r"SyntaxError: invalid non-printable character",
        "A character in that line cannot be seen, as copied text brings them: type the blanks of "
        "the line anew.",
    ),
    "no_python": (
        r"SyntaxError",
        f"{PYTHON}, which the grader runs, cannot read this as code: a colon, a bracket, a quote "
        "or an operator is missing, or too many, in the line named or just above it.",
    ),
    "sizes_meet": (
        r"must match the size of tensor|does not broadcast|"
        r"could not be broadcast|do not broadcast|Given normalized_shape",
        "Two tensors meet in that line whose axes do not fit: counted from the last one, sizes "
        "have to be equal, or one of them 1. Print both shapes just above it.",
    ),
    "spread_too_far": (
        r"must match the existing size|the number of sizes provided",
        "A tensor is to take other sizes there than it can: counted from the last axis, each of "
        "its sizes has to be the one that is wanted, or 1. The error names both.",
    ),
    "weights_of_another": (
        r"loading state_dict",
        "Weights are loaded there that belong to other layers: their names or shapes are others. "
        "See whose weights they are, and whether the layer should not start with its own.",
    ),
    "sizes_of_a_product": (
        r"cannot be multiplied|first two dimensions of batch2|inconsistent tensor size|"
        r"size mismatch, got input",
        "In a matrix product, or a linear layer, the last axis of the left one has to be as long "
        "as the right one asks for. Print both shapes just above that line.",
    ),
    "sizes_of_a_reshape": (
        r"is invalid for input of size|don't multiply up to",
        "The sizes that you ask for, multiplied, are not the number of entries that there are. "
        "Print the shape just above that line, and see which size is another than you thought.",
    ),
    "view_of_what_is_out_of_order": (
        r"view size is not compatible",
        "After a transpose the numbers do not lie in memory in the order of the axes, which `view` "
        "needs. `reshape` copies them where it has to.",
    ),
    "fewer_axes": (
        r"Dimension out of range|too many indices|dimensions in the tensor input|"
        r"number of subscripts|at least \d dim|spatial dimensions",
        "A tensor in that line has not as many axes as you count there. Print its shape; axes "
        "counted from the end stay right when one is added in front.",
    ),
    "nothing_there": (
        r"NoneType\b",
        "Something in that line is None: a function that returns nothing, an entry that was never "
        "set, or an optional input that was left out.",
    ),
    "other_number_of_parts": (
        r"values to unpack|cannot unpack",
        "On the left of `=` stand more or fewer names than there are things on the right. Look at "
        "what is returned there, or at how many axes the shape has.",
    ),
    "index_too_large": (
        r"index( k)? out of range|out of bounds|exceeds dimension|smaller than num_classes",
        "A place is asked for that does not exist. Look at where counting begins and ends, and "
        "whether the table was made long enough.",
    ),
    "sizes_of_parts": (
        r"Sizes of tensors must match|stack expects each tensor|must have same number of dim|"
        r"to sum exactly",
        "Tensors are put together or taken apart there, and their sizes do not fit. Print the "
        "shapes of them all, and look at the axis along which that is done.",
    ),
    "mask_of_another_shape": (
        r"shape of the mask",
        "A mask in square brackets has to have the shape of what it picks from. `masked_fill` and "
        "`torch.where` spread it over the axes that it lacks.",
    ),
    "targets_do_not_fit": (
        r"to match target batch_size|Expected target size",
        "The cross-entropy takes the second axis of the logits for the classes, and a target for "
        "each place of the others. Flatten both alike, or move the axis.",
    ),
    "nothing_inside": (
        r"non-empty|empty (list|sequence|parameter)|argument is empty|non-zero size|StopIteration",
        "There is nothing in a list or a tensor there that something is taken from. See where it "
        "should be filled, whether all of it was cut off, and what is right where it may be empty.",
    ),
    "lists_of_unequal_length": (
        r"expected sequence of length",
        "A tensor is made there of lists that are not equally long. Pad the shorter ones first.",
    ),
    "size_below_zero": (
        r"negative dimension|size must be non-negative|length must be non-negative",
        "A size comes out below 0. Print the numbers that it is computed from.",
    ),
    "window_too_large": (
        r"Kernel size can't be greater",
        "The window is larger than the picture that it moves over. Print the sizes of both.",
    ),
    "fewer_numbers_than_axes": (
        r"smaller than number of dim",
        "There are fewer numbers than the tensor has axes, and each axis wants one.",
    ),
    "result_too_large": (
        r"match the broadcast",
        "What is written over keeps its shape, and the result is larger. Make a new tensor of it.",
    ),
    "axis_twice": (
        r"duplicate dims|repeated dim|appears multiple times",
        "An axis is named twice. Name each one once.",
    ),
    "mask_not_boolean": (
        r"boolean mask|to be a boolean tensor",
        "A mask has to hold truths and not numbers. A comparison makes one.",
    ),
    "dtypes_meet": (
        r"have the same dtype|scalar types?\b|target dtype|can't be cast|could not infer output "
        r"dtype|not implemented for '|as indices must be|Boolean-type|[Ee]xpected (.{0,80} )?dtype|"
        r"index tensor of type",
        "Numbers of a kind meet there that do not go together: whole and floating-point ones, or "
        "floats of two widths. Print the `dtype` of each tensor in that line.",
    ),
    "devices_meet": (
        r"on the expected device|on the same device",
        "A tensor that you made lies on another device than the inputs. Make it on theirs, or "
        "register it as a buffer.",
    ),
    "written_over": (
        r"in-place operation|inplace operation",
        "Something is overwritten that gradients still need: `+=` and the like, a function whose "
        "name ends with `_`, a slice that is set. Make a new tensor.",
    ),
    "nothing_to_follow": (
        r"does not require grad and does not have a grad_fn",
        "No parameter leads to this number any more: it was cut off on the way, by `detach`, "
        "`item`, `no_grad`, or a new tensor made of numbers.",
    ),
    "graph_used_twice": (
        r"through the graph a second time",
        "Something that was computed in an earlier call is used once more. Compute it anew in each "
        "call, or cut it off where it is kept.",
    ),
    "gradient_of_many": (
        r"only for scalar outputs",
        "A gradient is that of one number. Take the sum or the mean first, as the question says.",
    ),
    "truth_of_many": (
        r"(value|element|array|Series|DataFrame|Index) is ambiguous",
        "`if`, `and`, `or` and `not` ask for one truth, and a tensor, an array or a Series holds "
        "many. Entry by entry there are `&`, `|` and `~`, and `where` of torch, NumPy or pandas.",
    ),
    "number_of_many": (
        r"cannot be converted to Scalar|only one element tensors|0-d tensor",
        "One number is asked for where there are several, or the other way round. Print the shape.",
    ),
    "numpy_of_what_learns": (
        r"Can't call numpy\(\)",
        "NumPy knows nothing of gradients. Stay with functions of torch.",
    ),
    "super_forgotten": (
        r"before Module\.__init__\(\) call|of 'super' object needs",
        "A module has to be set up before anything is kept in it: the first line of `__init__` is "
        "`super().__init__()`.",
    ),
    "not_a_parameter": (
        r"as parameter '",
        "Where a module keeps a parameter it takes no plain tensor. Change the numbers of the one "
        "that is there.",
    ),
    "other_signature": (
        r"positional arguments?\b|unexpected keyword argument",
        "What is handed over is not what the function takes. Compare the call with the first line "
        "of its definition, and see whether `self` is in its place.",
    ),
    "unknown_name": (
        r"NameError",
        "Nothing that ran gives this name a value. Look for another spelling, a missing `self.`, a "
        "variable of another function, or a cell above that stopped at an error.",
    ),
    "used_before_it_is_set": (
        r"UnboundLocalError",
        "A function that sets a name anywhere has it for itself, and here it is read before it is "
        "set. Perhaps one branch leaves it out.",
    ),
    "unknown_part_of_a_module": (
        r"cannot import name",
        "The module has nothing of that name. Look for another spelling. The grader runs "
        f"{PYTHON}, and what came into a library later is not there.",
    ),
    "unknown_module": (
        r"ModuleNotFoundError|ImportError",
        "Something is imported that is not there. Look for another spelling; of other libraries "
        "the notebook has those alone that its first cells import.",
    ),
    "not_called": (
        r"'(?:builtin_function_or_method|function|method)' (?:object|has no)",
        "A function stands there that was not called. Or an attribute of a module has the name of "
        "a method that modules have, as `to`, `type` or `half`, and then the method is found.",
    ),
    "unknown_attribute": (
        r"AttributeError",
        "What stands in front of the dot has nothing of that name. Look for another spelling, for "
        "an attribute that `__init__` should set, or print its `type`.",
    ),
    "name_taken": (
        r"attribute '[^'\n]*+' already exists",
        "The module has an attribute of that name already, so nothing can be registered under it.",
    ),
    "unknown_key": (
        r"KeyError",
        "There is no such entry. Print the keys that there are.",
    ),
    "not_a_tensor": (
        r"must be (Tensor|tuple of Tensors)|expected Tensor as element",
        "A function of torch gets something there that is no tensor, or not in a list. Print the "
        "`type` of what you hand over.",
    ),
    "not_a_whole_number": (
        r"'float' object cannot be interpreted|slices, not float|tuple of ints",
        "A size or a place has to be a whole number, and `/` makes a float even of whole ones. "
        "`//` does not.",
    ),
    "no_entries": (
        r"not subscriptable|has no len\(\)|item assignment",
        "Square brackets, or `len`, stand behind something that has no entries, or none that can "
        "be set: a number, a generator, a tuple. `list(...)` makes "
        "a list of what gives one thing after the other.",
    ),
    "other_arguments": (
        r"combination of arguments",
        "A function of torch takes its arguments in other ways than yours: it lists them in the "
        "error. Look at how many there are, and at the `type` of each.",
    ),
    "not_callable": (
        r"is not callable",
        "Round brackets behind something that is no function. Look for a missing operator, or a "
        "name that now holds something else.",
    ),
    "kinds_meet": (
        r"unsupported operand|not supported between|can only concatenate|is not iterable",
        "Two things of kinds that do not go together meet there, as a list and a number. Print the "
        "`type` of each.",
    ),
    "list_of_modules_called": (
        r"Module \[Module(List|Dict)\] is missing the required",
        "A list of modules only keeps them. Go through it, and call one after the other.",
    ),
    "no_forward": (
        r"is missing the required \"forward\"",
        "The module has no method of exactly this name. Look how yours is spelt, and whether it "
        "stands in the class: as far to the right as `__init__`.",
    ),
    "divided_by_zero": (
        r"ZeroDivisionError",
        "A number that may be 0 is divided by. See where it comes from, and when it is 0.",
    ),
    "calls_itself": (
        r"RecursionError",
        "A function or a module calls itself without an end.",
    ),
}
"""By the name of what went wrong: what the error says, and what that means. The first fits."""

OF_USE = {
    "made_otherwise": (
        r"TypeError: \S+(\.__init__\(\) (takes|missing)|\(\) takes no arguments)",
        "`__init__` takes something else than the question says, or is spelt otherwise: it has two "
        "underscores on each side, `self` comes first, and then what the class is made with.",
    ),
    "returns_nothing": (
        r"NoneType\b",
        "Your answer gives back None, which is nothing: a function does that where it ends without "
        "`return`, in one branch maybe. Or an attribute was never set.",
    ),
}
"""The same of errors that an answer raises where it is used, and no line of it."""


def explained(message: str, *, by_use: bool = False) -> tuple[str, str] | None:
    """The name of what went wrong, and where to look; None for an error that is none of these.

    `by_use`: whether the error was raised where the answer is used.
    """
    for name, (says, hint) in (OF_USE if by_use else ERRORS).items():
        if re.search(says, message):
            return name, hint
    return None
